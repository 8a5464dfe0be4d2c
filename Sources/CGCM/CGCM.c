#include "CGCM.h"

#if __has_include(<intel-ipsec-mb.h>)
#include <intel-ipsec-mb.h>
#endif

// Older versions do not test themselves.
#ifdef IMB_FEATURE_SELF_TEST_PASS
#include <dlfcn.h>
#include <pthread.h>

// The header declares no form of these that dlsym's result converts to.
typedef unsigned version_call(void);
typedef IMB_MGR *make_call(uint64_t flags);
typedef void prepare_call(IMB_MGR *, IMB_ARCH *);

static pthread_once_t once = PTHREAD_ONCE_INIT;
/// Kept for the life of the process: its functions are in use.
static IMB_MGR *state;
static aes_gcm_pre_t expand_key;
static aes_gcm_enc_dec_t encrypt, decrypt;

static void load(void) {
  void *library = dlopen("libIPSec_MB.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  version_call *version = (version_call *)dlsym(library, "imb_get_version");
  make_call *make = (make_call *)dlsym(library, "alloc_mb_mgr");
  prepare_call *prepare = (prepare_call *)dlsym(library, "init_mb_mgr_auto");
  // The layout of IMB_MGR is that of one minor version.
  if (!version || !make || !prepare || version() >> 8 != IMB_VERSION_NUM >> 8) return;
  state = make(0);
  if (!state) return;
  IMB_ARCH form = IMB_ARCH_NONE;
  // Tests the library's ciphers with known answers.
  prepare(state, &form);
  if (form == IMB_ARCH_NONE || !(state->features & IMB_FEATURE_SELF_TEST_PASS)) return;
  expand_key = state->gcm128_pre;
  encrypt = state->gcm128_enc;
  decrypt = state->gcm128_dec;
}

size_t gcm_key_bytes(void) {
  pthread_once(&once, load);
  return encrypt && decrypt && expand_key ? (sizeof(struct gcm_key_data) + 63) / 64 * 64 : 0;
}

void gcm_expand(const uint8_t *key, void *expanded) { expand_key(key, expanded); }

void gcm_seal(
    const void *expanded, const uint8_t *iv, const uint8_t *clear, size_t clear_count, const uint8_t *from, uint8_t *into,
    size_t count, uint8_t *tag) {
  struct gcm_context_data progress;
  encrypt(expanded, &progress, into, from, count, iv, clear, clear_count, tag, 16);
}

void gcm_open(
    const void *expanded, const uint8_t *iv, const uint8_t *clear, size_t clear_count, const uint8_t *from, uint8_t *into,
    size_t count, uint8_t *tag) {
  struct gcm_context_data progress;
  decrypt(expanded, &progress, into, from, count, iv, clear, clear_count, tag, 16);
}

#else

size_t gcm_key_bytes(void) { return 0; }
void gcm_expand(const uint8_t *key, void *expanded) {}
void gcm_seal(
    const void *expanded, const uint8_t *iv, const uint8_t *clear, size_t clear_count, const uint8_t *from, uint8_t *into,
    size_t count, uint8_t *tag) {}
void gcm_open(
    const void *expanded, const uint8_t *iv, const uint8_t *clear, size_t clear_count, const uint8_t *from, uint8_t *into,
    size_t count, uint8_t *tag) {}

#endif
