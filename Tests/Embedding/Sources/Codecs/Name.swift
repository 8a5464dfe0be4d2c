public let name = "the app's own Codecs"
