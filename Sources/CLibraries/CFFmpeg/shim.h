#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>

// Expression macros that Swift does not import.
static const int averror_eof = AVERROR_EOF;
static const int averror_again = AVERROR(EAGAIN);
static const int64_t av_no_pts = AV_NOPTS_VALUE;

// From FFmpeg 4.4 (Ubuntu 22.04) to 7 the channel layout changed its type and AVCodec pointers became const.
#define FF_HAS_CH_LAYOUT (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 28, 100))

static inline AVCodecContext *ff_decoder(enum AVCodecID id) {
  const AVCodec *codec = avcodec_find_decoder(id);
  return codec ? avcodec_alloc_context3(codec) : NULL;
}
static inline int ff_open(AVCodecContext *context) { return avcodec_open2(context, context->codec, NULL); }
static inline int ff_best_stream(AVFormatContext *format, enum AVMediaType type) {
  return av_find_best_stream(format, type, -1, -1, NULL, 0);
}
static inline AVStream *ff_stream(AVFormatContext *format, int index) {
  return index >= 0 && index < (int)format->nb_streams ? format->streams[index] : NULL;
}
static inline int ff_frame_channels(const AVFrame *frame) {
#if FF_HAS_CH_LAYOUT
  return frame->ch_layout.nb_channels;
#else
  return frame->channels;
#endif
}
/// A resampler ready for use, NULL when the formats are refused.
static inline SwrContext *ff_resampler(
    enum AVSampleFormat in_format, int in_rate, int in_channels, enum AVSampleFormat out_format, int out_rate,
    int out_channels) {
  SwrContext *context = NULL;
#if FF_HAS_CH_LAYOUT
  AVChannelLayout in, out;
  av_channel_layout_default(&in, in_channels);
  av_channel_layout_default(&out, out_channels);
  if (swr_alloc_set_opts2(&context, &out, out_format, out_rate, &in, in_format, in_rate, 0, NULL) < 0) return NULL;
#else
  context = swr_alloc_set_opts(
      NULL, av_get_default_channel_layout(out_channels), out_format, out_rate,
      av_get_default_channel_layout(in_channels), in_format, in_rate, 0, NULL);
  if (!context) return NULL;
#endif
  if (swr_init(context) < 0) swr_free(&context);
  return context;
}
/// Frames whose references were missing or whose slices were broken.
static inline int ff_frame_is_damaged(const AVFrame *frame) {
  return (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame->decode_error_flags != 0;
}
