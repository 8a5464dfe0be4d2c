import Foundation

/// The length of a test whose bounds virtual time already proves: short by default, long with `deploy/test.sh --long`.
public enum TestLength {
  public static let isLong = ProcessInfo.processInfo.environment["ROOMSERVER_LONG_TESTS"] != nil

  public static func pick(_ short: Int, long: Int) -> Int { isLong ? long : short }
}
