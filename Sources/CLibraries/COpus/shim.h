#pragma once
#include <opus.h>

// opus_encoder_ctl and opus_decoder_ctl are variadic.
static inline int opus_encoder_set(OpusEncoder *encoder, int request, opus_int32 value) {
  return opus_encoder_ctl(encoder, request, value);
}
static inline int opus_decoder_get(OpusDecoder *decoder, int request, opus_int32 *value) {
  return opus_decoder_ctl(decoder, request, value);
}
