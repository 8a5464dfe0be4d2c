/// The files of the web client: the ES modules of a client in a browser, their source maps, and example pages.
public enum WebClient {
  /// The names and texts of the modules, of all folders.
  public static let modules = EmbeddedPage.files.filter { $0.name.hasSuffix(".js") }
  /// The names and texts of the modules' source maps, which the modules name.
  public static let maps = EmbeddedPage.files.filter { $0.name.hasSuffix(".map") }
  /// The names and texts of the example pages, which import the modules by relative paths.
  public static let examples = EmbeddedPage.files.filter { $0.name.hasSuffix(".html") }
}
