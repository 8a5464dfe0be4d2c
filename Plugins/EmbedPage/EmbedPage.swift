import Foundation
import PackagePlugin

/// Compiles the files of a target's `Page` folders into its code, as `EmbeddedPage.files`. The sources are plain HTML, CSS and
/// JavaScript files; the product is one binary.
@main
struct EmbedPage: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    guard let target = target as? SourceModuleTarget else { return [] }
    let pages = target.sourceFiles.map(\.url).filter { $0.pathComponents.contains("Page") && $0.pathExtension != "swift" }
      .sorted { $0.path < $1.path }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedPage.swift")
    return [
      .buildCommand(
        displayName: "Embedding \(pages.count) files of the page in \(target.name)",
        executable: try context.tool(named: "embed-page").url,
        arguments: [output.path] + pages.map(\.path), inputFiles: pages, outputFiles: [output])
    ]
  }
}
