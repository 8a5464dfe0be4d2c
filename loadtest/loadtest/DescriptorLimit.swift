import Glibc

/// Each viewer needs a descriptor in this process and one in the server, which inherits the limit. Most systems have a soft
/// limit of 1024.
enum DescriptorLimit {
  /// Raises the soft limit to the hard limit.
  /// - Throws: ``LoadtestError`` if the hard limit is below `needed`.
  static func raise(to needed: Int) throws(LoadtestError) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    if limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    guard limit.rlim_cur >= rlim_t(needed) else {
      throw .system("\(needed) descriptors are required, but the limit is \(limit.rlim_cur): see ulimit -Hn")
    }
  }
}
