import RoomCOpenSSL

/// The process's libcrypto.
public enum Libcrypto {
  /// Whether the library is ready. This property's first use prepares it: a program may exit while connections of other threads
  /// still use the library, so it does not clean up at the exit.
  public static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
