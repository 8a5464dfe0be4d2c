extension LiveKit {
  /// A ``DataPacket`` whose content is passed on as it is: it may be of a kind, or have fields, that this server does not know.
  package struct RoutedPacket: Message {
    package var kind: DataPacketKind = .init()
    package var participantIdentity: String = ""
    package var destinationIdentities: [String] = []
    package var sequence: UInt32 = 0
    package var participantSID: String = ""
    /// The content, as on the wire.
    package var content: [UInt8] = []

    package init() {}

    package static let fields = FieldTable<Self>("DataPacket", unknown: \.content) {
      Field(1, "kind", \.kind)
      Field(4, "participant_identity", \.participantIdentity)
      Field(5, "destination_identities", list: \.destinationIdentities)
      Field(16, "sequence", \.sequence)
      Field(17, "participant_sid", \.participantSID)
    }
  }
}
