#pragma once
#include <vpx/vp8cx.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>
#include <vpx/vpx_encoder.h>

// The init calls are macros that add the ABI version.
static inline vpx_codec_err_t vpx_enc_init(
    vpx_codec_ctx_t *ctx, vpx_codec_iface_t *iface, const vpx_codec_enc_cfg_t *cfg, vpx_codec_flags_t flags) {
  return vpx_codec_enc_init(ctx, iface, cfg, flags);
}
static inline vpx_codec_err_t vpx_dec_init(
    vpx_codec_ctx_t *ctx, vpx_codec_iface_t *iface, const vpx_codec_dec_cfg_t *cfg, vpx_codec_flags_t flags) {
  return vpx_codec_dec_init(ctx, iface, cfg, flags);
}
