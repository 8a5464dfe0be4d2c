public import RoomTLS

/// The certificate of a TLS server for localhost, trusted only by clients that have the certificate.
public enum SelfSigned {
  public static func context() throws -> TLSContext {
    try TLSContext(certificates: certificateText.utf8, key: keyText.utf8)
  }

  /// `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost`
  public static let certificateText = """
    -----BEGIN CERTIFICATE-----
    MIIBnDCCAUGgAwIBAgIUcAWgdwGnis5rZPQshwu6CW3qa98wCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA0MDcxOFoYDzIxMjYxMDI4
    MDQwNzE4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAATDc7ijDP7Sk9Ef+VFt6MLq1fbXvRG7TntshFETwTo5auXdG4y0UvRu
    Lv2JQxas6Z8+kfr1Zx0qfQIqHYcOCCcMo28wbTAdBgNVHQ4EFgQUsxyZWmdgSzTP
    L29sfpH7BoHel3EwHwYDVR0jBBgwFoAUsxyZWmdgSzTPL29sfpH7BoHel3EwDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDSQAwRgIhAMdmCvS/t6vWz2kdOdgfQbkhPfu4cYVMcLIwzIL4KZv9AiEA
    uRHxfphpMb9aNk7/nkaIzhocJXWePZZ8HPepUjilKEQ=
    -----END CERTIFICATE-----
    """

  public static let keyText = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgipbMbvaNE8FGI0nG
    ufgShBm2PwRxMAxoqNv2ak7vMy6hRANCAATDc7ijDP7Sk9Ef+VFt6MLq1fbXvRG7
    TntshFETwTo5auXdG4y0UvRuLv2JQxas6Z8+kfr1Zx0qfQIqHYcOCCcM
    -----END PRIVATE KEY-----
    """
}
