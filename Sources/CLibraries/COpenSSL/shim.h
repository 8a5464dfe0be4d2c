#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/srtp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros and variadics that Swift does not import.
static inline EVP_PKEY *openssl_ec_p256_key(void) { return EVP_EC_gen("P-256"); }
static inline uint64_t openssl_op_no_query_mtu(void) { return SSL_OP_NO_QUERY_MTU; }
static inline uint64_t openssl_op_no_ticket(void) { return SSL_OP_NO_TICKET; }
static inline uint64_t openssl_op_no_renegotiation(void) { return SSL_OP_NO_RENEGOTIATION; }
static inline long openssl_set_mtu(SSL *ssl, long mtu) { return SSL_set_mtu(ssl, mtu); }
static inline int openssl_ctx_set_dtls12(SSL_CTX *ctx) {
  return SSL_CTX_set_min_proto_version(ctx, DTLS1_2_VERSION) && SSL_CTX_set_max_proto_version(ctx, DTLS1_2_VERSION);
}
static inline int openssl_ctx_set_min_version(SSL_CTX *ctx, int version) { return SSL_CTX_set_min_proto_version(ctx, version); }
static inline int openssl_ctx_set_max_version(SSL_CTX *ctx, int version) { return SSL_CTX_set_max_proto_version(ctx, version); }
static inline long openssl_ctx_add1_chain_cert(SSL_CTX *ctx, X509 *certificate) { return SSL_CTX_add1_chain_cert(ctx, certificate); }
static inline int openssl_set_server_name(SSL *ssl, const char *name) {
  // An address in digits is no name (RFC 6066 §3).
  ASN1_OCTET_STRING *address = a2i_IPADDRESS(name);
  ASN1_OCTET_STRING_free(address);
  return address || SSL_set_tlsext_host_name(ssl, name);
}
/// Microseconds until the flight is due again, −1 when nothing is outstanding.
static inline int64_t openssl_dtls_timeout(SSL *ssl) {
  struct timeval left;
  if (!DTLSv1_get_timeout(ssl, &left)) return -1;
  return (int64_t)left.tv_sec * 1000000 + left.tv_usec;
}
static inline long openssl_dtls_handle_timeout(SSL *ssl) { return DTLSv1_handle_timeout(ssl); }
static inline void openssl_bio_set_mem_eof_return(BIO *bio, int value) { BIO_set_mem_eof_return(bio, value); }

// SHA-1 with a state that can be copied: EVP's copy allocates, which the packet path must not.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline void openssl_sha1_init(SHA_CTX *state) { SHA1_Init(state); }
static inline void openssl_sha1_update(SHA_CTX *state, const void *data, size_t length) { SHA1_Update(state, data, length); }
static inline void openssl_sha1_final(SHA_CTX *state, unsigned char *digest) { SHA1_Final(digest, state); }
#pragma clang diagnostic pop
