#pragma once
#include <aom/aom_encoder.h>
#include <aom/aomcx.h>

// The init call is a macro that adds the ABI version.
static inline aom_codec_err_t aom_enc_init(
    aom_codec_ctx_t *context, aom_codec_iface_t *interface, const aom_codec_enc_cfg_t *configuration,
    aom_codec_flags_t flags) {
  return aom_codec_enc_init(context, interface, configuration, flags);
}
/// Sets one number of an encoder. The library's own call is variadic, which Swift cannot import.
static inline aom_codec_err_t aom_set(aom_codec_ctx_t *context, int control, int value) {
  return aom_codec_control(context, control, value);
}
