public import Foundation

extension Process {
  /// Sets up one of the package's own programs, to be run as its service and its image run it: with no capability, whoever runs the
  /// tests. Root may do what no server in its place may.
  public func setUnprivileged(_ name: String, _ arguments: [String]) {
    executableURL = Program.built(name)
    self.arguments = arguments
    guard geteuid() == 0, let program = executableURL, let setpriv = Program.path("setpriv") else { return }
    executableURL = setpriv
    self.arguments = ["--bounding-set=-all", "--inh-caps=-all", program.path] + arguments
  }
}
