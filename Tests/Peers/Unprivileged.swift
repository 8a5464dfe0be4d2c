public import Foundation

extension Process {
  /// Configures one of the package's own executables to run like the service and the image: without capabilities, regardless of
  /// the user who runs the tests. As root, a server would have privileges that it lacks in production.
  public func setUnprivileged(_ name: String, _ arguments: [String]) {
    executableURL = Program.built(name)
    self.arguments = arguments
    guard geteuid() == 0, let program = executableURL, let setpriv = Program.path("setpriv") else { return }
    executableURL = setpriv
    self.arguments = ["--bounding-set=-all", "--inh-caps=-all", program.path] + arguments
  }
}
