#pragma once
#include <stddef.h>
#include <stdint.h>

// AES-128-GCM by Debian's libipsec-mb (BSD), which needs half of libcrypto's time for a packet: one call instead of five, and
// instructions that OpenSSL 3.0 does not use. The library is loaded at run time. A machine without it uses libcrypto.

/// The bytes of an expanded key, which is aligned to 64; 0 if the library is absent, of another version than the headers of the
/// build, or without a form for this CPU.
size_t gcm_key_bytes(void);

/// Expands a key of 16 bytes.
void gcm_expand(const uint8_t *key, void *expanded);

/// Encrypts `count` bytes and authenticates them with `clear_count` bytes that stay in clear. `iv` has 12 bytes, `tag` 16. `from` and
/// `into` may be equal.
void gcm_seal(
    const void *expanded, const uint8_t *iv, const uint8_t *clear, size_t clear_count, const uint8_t *from, uint8_t *into,
    size_t count, uint8_t *tag);

/// Decrypts `count` bytes, and writes the tag that they should have. The caller compares the tags. `from` and `into` may be equal.
void gcm_open(
    const void *expanded, const uint8_t *iv, const uint8_t *clear, size_t clear_count, const uint8_t *from, uint8_t *into,
    size_t count, uint8_t *tag);
