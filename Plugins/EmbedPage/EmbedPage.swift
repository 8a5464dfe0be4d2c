import Foundation
import PackagePlugin

/// Compiles the HTML, CSS, JavaScript and SVG files of a target into its code, as `EmbeddedPage.files`: the product is one binary.
@main
struct EmbedPage: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    guard let target = target as? SourceModuleTarget else { return [] }
    let pages = target.sourceFiles.map(\.url).filter { ["html", "css", "js", "svg"].contains($0.pathExtension) }
      .sorted { $0.path < $1.path }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedPage.swift")
    return [
      .buildCommand(
        displayName: "Embedding \(pages.count) files of the page in \(target.name)",
        executable: try context.tool(named: "embed-page").url,
        // Pages of others import the web client.
        arguments: (target.name == "RoomWebClient" ? ["--maps"] : []) + [output.path] + pages.map(\.path), inputFiles: pages,
        outputFiles: [output])
    ]
  }
}
