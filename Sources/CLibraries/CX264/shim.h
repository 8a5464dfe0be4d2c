#pragma once
#include <stdint.h>
#include <x264.h>

// x264_encoder_open is a macro that carries the library's build number.
static inline x264_t *x264_open(x264_param_t *parameters) { return x264_encoder_open(parameters); }
