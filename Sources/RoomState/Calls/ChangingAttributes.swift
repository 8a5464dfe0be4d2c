import RoomProtocol

extension RoomState {
  /// Sets and removes attributes atomically.
  /// - Throws: 10003; 80302 for too many keys, in the call or in the room, and for an invalid key or value.
  public mutating func setAttributes(_ params: AttributeParams, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "changing the room's attributes")
    let new = params.set ?? [:]
    let removed = params.remove ?? []
    if let validationError = validationError(about: new, removed) { throw RoomError(.updateRoomFailed, validationError) }
    let added = new.keys.filter { attributes[$0] == nil }.count
    let gone = Set(removed).filter { attributes[$0] != nil }
    guard attributes.count + added - gone.count <= rules.attributes else {
      throw RoomError(.updateRoomFailed, "a room has at most \(rules.attributes) attributes; remove some")
    }
    let changed = new.filter { attributes[$0.key] != $0.value }
    guard !changed.isEmpty || !gone.isEmpty else { return }
    attributes.merge(changed) { $1 }
    for key in gone { attributes[key] = nil }
    announce(.attributesChanged(AttributesChangedData(set: changed, removed: gone.sorted(), by: caller.eventUserID)))
  }

  private func validationError(about new: [String: String], _ removed: [String]) -> String? {
    let count = new.count + removed.count
    guard (1...rules.attributesPerCall).contains(count) else {
      return "set, remove: \(count) attributes; a call sets or removes 1 to \(rules.attributesPerCall)"
    }
    for key in new.keys.sorted() + removed where !(1...rules.attributeKeyBytes).contains(key.utf8.count) {
      return "set, remove: a key has 1 to \(rules.attributeKeyBytes) bytes; \"\(key.brief)\" has \(key.utf8.count)"
    }
    for (key, value) in new.sorted(by: { $0.key < $1.key }) where value.utf8.count > rules.attributeValueBytes {
      return "set: the value of \"\(key)\" has \(value.utf8.count) bytes; the maximum is \(rules.attributeValueBytes)"
    }
    if let key = removed.first(where: { new[$0] != nil }) { return "remove: \"\(key)\" is also in set" }
    return nil
  }
}
