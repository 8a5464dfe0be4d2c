import RoomProtocol

extension ICEServer {
  /// The values of `Link` headers that name this server, one for each URL (RFC 9725 §4.6).
  var links: [String] {
    urls.map { url in
      var link = "<\(url)>; rel=\"ice-server\""
      // STUN servers take no credentials, even if the configuration has some.
      guard url.hasPrefix("turn"), let username, let credential else { return link }
      link += "; username=\(username.quoted); credential=\(credential.quoted); credential-type=\"password\""
      return link
    }
  }
}

extension String {
  /// The string as a quoted-string of HTTP (RFC 9110 §5.6.4), without characters that are invalid in a header.
  fileprivate var quoted: String {
    var text = "\""
    for scalar in unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7F {
      if scalar == "\"" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }
}
