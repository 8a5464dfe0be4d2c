/// The files of the web client: the ES modules of a client in a browser, and example pages.
public enum WebClient {
  /// The names and texts of the modules, of all folders.
  public static let modules = EmbeddedPage.files.filter { !$0.name.hasSuffix(".html") }
  /// The names and texts of the example pages, which import the modules by relative paths.
  public static let examples = EmbeddedPage.files.filter { $0.name.hasSuffix(".html") }
}
