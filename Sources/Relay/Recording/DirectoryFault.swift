import Glibc

/// Returns why a directory of the settings can't be used; nil if it can.
/// - Parameter mode: the permissions that the server needs: `R_OK`, `W_OK`, `X_OK`.
package func directoryFault(_ path: String, needing mode: CInt) -> String? {
  var status = stat()
  guard stat(path, &status) == 0 else { return "\(path): \(String(cString: strerror(errno)))" }
  guard status.st_mode & S_IFMT == S_IFDIR else { return "\(path) is not a directory" }
  guard access(path, mode) == 0 else { return "\(path): \(String(cString: strerror(errno)))" }
  return nil
}
