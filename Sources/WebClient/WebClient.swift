/// The files of the web client: the ES modules of a client in a browser.
public enum WebClient {
  /// The names and texts of the modules, of all folders.
  public static let files = EmbeddedPage.files
}
