import Foundation
import Glibc

/// The network namespace that a measurement runs in.
///
/// All sockets of the process belong to it, those of thread pools too, so the process has to be started in it.
enum OwnNamespace {
  private static let variable = "LOADTEST_OWN_NAMESPACE"

  /// Replaces this process by the same command in a network of its own; returns if it runs in one already.
  static func enter() throws(LoadtestError) {
    guard ProcessInfo.processInfo.environment[variable] == nil else { return }
    let user = getuid() == 0 ? [] : ["--user", "--map-root-user"]
    let words =
      ["unshare", "--net"] + user + ["--", StartOptions.itself]
      + CommandLine.arguments.dropFirst()
    setenv(variable, "1", 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    execvp("unshare", &arguments)
    throw .system("unshare of util-linux does not start: \(String(cString: strerror(errno)))")
  }
}
