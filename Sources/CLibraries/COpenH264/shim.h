#pragma once
#include <wels/codec_api.h>

// The encoder is a table of functions behind two pointers.
static inline int openh264_defaults(ISVCEncoder *encoder, SEncParamExt *parameters) {
  return (*encoder)->GetDefaultParams(encoder, parameters);
}
static inline int openh264_open(ISVCEncoder *encoder, const SEncParamExt *parameters) {
  return (*encoder)->InitializeExt(encoder, parameters);
}
static inline int openh264_encode(ISVCEncoder *encoder, const SSourcePicture *picture, SFrameBSInfo *info) {
  return (*encoder)->EncodeFrame(encoder, picture, info);
}
static inline int openh264_force_key_frame(ISVCEncoder *encoder) { return (*encoder)->ForceIntraFrame(encoder, true); }
static inline int openh264_set(ISVCEncoder *encoder, ENCODER_OPTION option, void *value) {
  return (*encoder)->SetOption(encoder, option, value);
}
static inline void openh264_close(ISVCEncoder *encoder) {
  (*encoder)->Uninitialize(encoder);
  WelsDestroySVCEncoder(encoder);
}
static inline const SLayerBSInfo *openh264_layer(const SFrameBSInfo *info, int index) { return &info->sLayerInfo[index]; }
