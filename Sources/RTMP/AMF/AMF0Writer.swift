extension [UInt8] {
  /// Appends values in AMF0 form (AMF 0 specification §2).
  public mutating func appendAMF0(_ values: AMFValue...) {
    for value in values { appendAMF0Value(value) }
  }

  private mutating func appendAMF0Value(_ value: AMFValue) {
    switch value {
    case .number(let number):
      append(0x00)
      append64(number.bitPattern)
    case .boolean(let truth): self += [0x01, truth ? 1 : 0]
    case .string(let text): appendAMF0String(Array(text.utf8))
    case .object(let object):
      append(0x03)
      appendAMF0Properties(object)
    case .null: append(0x05)
    case .undefined: append(0x06)
    case .ecmaArray(let object):
      append(0x08)
      append32(UInt32(truncatingIfNeeded: object.properties.count))
      appendAMF0Properties(object)
    case .array(let elements):
      append(0x0a)
      append32(UInt32(truncatingIfNeeded: elements.count))
      for element in elements { appendAMF0Value(element) }
    case .date(let milliseconds):
      append(0x0b)
      append64(milliseconds.bitPattern)
      append16(0)
    case .typedObject(let name, let object):
      append(0x10)
      appendAMF0Name(name)
      appendAMF0Properties(object)
    // AMF0 has no byte arrays; an array of numbers is closest.
    case .bytes(let bytes): appendAMF0Value(.array(bytes.map { .number(Double($0)) }))
    }
  }

  private mutating func appendAMF0String(_ text: [UInt8]) {
    if text.count <= 0xffff {
      append(0x02)
      append16(UInt16(text.count))
    } else {
      append(0x0c)
      append32(UInt32(truncatingIfNeeded: text.count))
    }
    self += text
  }

  /// A name has at most 65,535 bytes; longer ones are truncated.
  private mutating func appendAMF0Name(_ name: String) {
    let text = name.utf8.prefix(0xffff)
    append16(UInt16(text.count))
    append(contentsOf: text)
  }

  private mutating func appendAMF0Properties(_ object: AMFObject) {
    for property in object.properties {
      appendAMF0Name(property.name)
      appendAMF0Value(property.value)
    }
    self += [0, 0, 0x09]
  }
}
