import Glibc

/// Raises the limit of descriptors: each socket needs one, and the soft limit of most systems, 1024, suits programs that use
/// select().
enum DescriptorLimit {
  /// Raises the soft limit to the hard one; if the system refuses, the limit stays unchanged.
  static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
