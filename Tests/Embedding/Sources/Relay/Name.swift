public let name = "the app's own Relay"
