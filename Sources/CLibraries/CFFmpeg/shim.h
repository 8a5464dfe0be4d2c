#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <string.h>

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
/// An encoder's context, not yet opened, for `channels` of `sample_format`; NULL if libavcodec has none.
static inline AVCodecContext *ff_audio_encoder(
    enum AVCodecID id, enum AVSampleFormat sample_format, int rate, int channels, int64_t bitrate) {
  const AVCodec *codec = avcodec_find_encoder(id);
  AVCodecContext *context = codec ? avcodec_alloc_context3(codec) : NULL;
  if (!context) return NULL;
  context->sample_fmt = sample_format;
  context->sample_rate = rate;
  context->bit_rate = bitrate;
  context->time_base = (AVRational){1, rate};
#if FF_HAS_CH_LAYOUT
  av_channel_layout_default(&context->ch_layout, channels);
#else
  context->channels = channels;
  context->channel_layout = av_get_default_channel_layout(channels);
#endif
  return context;
}
/// A picture encoder's context, not yet opened; NULL if libavcodec has none.
static inline AVCodecContext *ff_picture_encoder(enum AVCodecID id, enum AVPixelFormat format, int width, int height) {
  const AVCodec *codec = avcodec_find_encoder(id);
  AVCodecContext *context = codec ? avcodec_alloc_context3(codec) : NULL;
  if (!context) return NULL;
  context->pix_fmt = format;
  context->width = width;
  context->height = height;
  context->time_base = (AVRational){1, 25};
  context->thread_count = 1;
  return context;
}
/// An encoder's context by its name, not yet opened; NULL if libavcodec has none.
static inline AVCodecContext *ff_encoder_by_name(const char *name) {
  const AVCodec *codec = avcodec_find_encoder_by_name(name);
  return codec ? avcodec_alloc_context3(codec) : NULL;
}
/// Gives an encoder pictures of `format` in the memory of `device`, filled from pictures of `input`; negative on failure.
static inline int ff_use_device_frames(
    AVCodecContext *context, AVBufferRef *device, enum AVPixelFormat format, enum AVPixelFormat input) {
  AVBufferRef *reference = av_hwframe_ctx_alloc(device);
  if (!reference) return AVERROR(ENOMEM);
  AVHWFramesContext *frames = (AVHWFramesContext *)reference->data;
  frames->format = format;
  frames->sw_format = input;
  frames->width = context->width;
  frames->height = context->height;
  frames->initial_pool_size = 8;
  int result = av_hwframe_ctx_init(reference);
  if (result < 0) {
    av_buffer_unref(&reference);
    return result;
  }
  context->hw_frames_ctx = reference;
  return 0;
}
/// Gives `frame` planes for a picture that `context` encodes; negative on failure.
static inline int ff_picture_frame(AVFrame *frame, const AVCodecContext *context) {
  frame->format = context->pix_fmt;
  frame->width = context->width;
  frame->height = context->height;
  return av_frame_get_buffer(frame, 0);
}
/// Gives `frame` buffers for `count` samples of what `context` encodes; negative on failure.
static inline int ff_audio_frame(AVFrame *frame, const AVCodecContext *context, int count) {
  frame->format = context->sample_fmt;
  frame->sample_rate = context->sample_rate;
  frame->nb_samples = count;
#if FF_HAS_CH_LAYOUT
  int result = av_channel_layout_copy(&frame->ch_layout, &context->ch_layout);
  if (result < 0) return result;
#else
  frame->channels = context->channels;
  frame->channel_layout = context->channel_layout;
#endif
  return av_frame_get_buffer(frame, 0);
}
/// States the rate and the channels of a codec whose data does not state them.
static inline void ff_set_decoder_format(AVCodecContext *context, int rate, int channels) {
  context->sample_rate = rate;
#if FF_HAS_CH_LAYOUT
  av_channel_layout_default(&context->ch_layout, channels);
#else
  context->channels = channels;
  context->channel_layout = (uint64_t)av_get_default_channel_layout(channels);
#endif
}
/// Hands a decoder the configuration that its container would carry; negative on failure.
static inline int ff_set_extradata(AVCodecContext *context, const uint8_t *bytes, int count) {
  context->extradata = av_mallocz((size_t)count + AV_INPUT_BUFFER_PADDING_SIZE);
  if (!context->extradata) return AVERROR(ENOMEM);
  __builtin_memcpy(context->extradata, bytes, (size_t)count);
  context->extradata_size = count;
  return 0;
}
/// Opens a muxer by its short name that writes into memory; NULL on failure.
static inline AVFormatContext *ff_memory_muxer(const char *name) {
  AVFormatContext *format = NULL;
  if (avformat_alloc_output_context2(&format, NULL, name, NULL) < 0) return NULL;
  if (avio_open_dyn_buf(&format->pb) < 0) {
    avformat_free_context(format);
    return NULL;
  }
  return format;
}
/// What a muxer in memory has written since the last call: its bytes, to be given to `av_free`, and their count.
static inline int ff_take_written(AVFormatContext *format, uint8_t **bytes) {
  *bytes = NULL;
  if (!format->pb) return AVERROR(EINVAL);
  int count = avio_close_dyn_buf(format->pb, bytes);
  format->pb = NULL;
  int result = avio_open_dyn_buf(&format->pb);
  return result < 0 ? result : count;
}
static inline void ff_free_memory_muxer(AVFormatContext *format) {
  if (!format) return;
  if (format->pb) {
    uint8_t *rest = NULL;
    avio_close_dyn_buf(format->pb, &rest);
    av_free(rest);
    format->pb = NULL;
  }
  avformat_free_context(format);
}
/// Hands a muxer the configuration of a stream's decoder; negative on failure.
static inline int ff_set_stream_extradata(AVCodecParameters *parameters, const uint8_t *bytes, int count) {
  parameters->extradata = av_mallocz((size_t)count + AV_INPUT_BUFFER_PADDING_SIZE);
  if (!parameters->extradata) return AVERROR(ENOMEM);
  __builtin_memcpy(parameters->extradata, bytes, (size_t)count);
  parameters->extradata_size = count;
  return 0;
}
static inline void ff_set_stream_channels(AVCodecParameters *parameters, int channels) {
#if FF_HAS_CH_LAYOUT
  av_channel_layout_default(&parameters->ch_layout, channels);
#else
  parameters->channels = channels;
  parameters->channel_layout = av_get_default_channel_layout(channels);
#endif
}
static inline uint32_t ff_tag(char a, char b, char c, char d) { return MKTAG(a, b, c, d); }
/// Opens an input. `interrupted` is called with `opaque` while libavformat waits, and ends the wait if it returns a value other than 0.
/// `options` is `name=value;name=value`; those that libavformat does not know are ignored. Negative on failure.
static inline int ff_open_input(
    AVFormatContext **format, const char *location, const char *options, int (*interrupted)(void *), void *opaque) {
  AVFormatContext *context = avformat_alloc_context();
  if (!context) return AVERROR(ENOMEM);
  context->interrupt_callback.callback = interrupted;
  context->interrupt_callback.opaque = opaque;
  AVDictionary *dictionary = NULL;
  int result = av_dict_parse_string(&dictionary, options, "=", ";", 0);
  if (result < 0) {
    avformat_free_context(context);
    av_dict_free(&dictionary);
    return result;
  }
  result = avformat_open_input(&context, location, NULL, &dictionary);
  av_dict_free(&dictionary);
  *format = result < 0 ? NULL : context;
  return result;
}
/// Whether the input can be sought: HLS states it in its flags, other formats by their transport.
static inline int ff_is_seekable(const AVFormatContext *format) {
  if (format->duration <= 0 || (format->ctx_flags & AVFMTCTX_UNSEEKABLE)) return 0;
  int opens_no_bytes = (format->iformat->flags & AVFMT_NOFILE) || strcmp(format->iformat->name, "hls") == 0;
  return opens_no_bytes || !format->pb || format->pb->seekable != 0;
}
static inline int ff_channels(const AVCodecParameters *parameters) {
#if FF_HAS_CH_LAYOUT
  return parameters->ch_layout.nb_channels;
#else
  return parameters->channels;
#endif
}
/// The configuration that a packet replaces its stream's with; NULL if it replaces none.
static inline const uint8_t *ff_new_extradata(const AVPacket *packet, int *count) {
  for (int i = 0; i < packet->side_data_elems; i++) {
    if (packet->side_data[i].type != AV_PKT_DATA_NEW_EXTRADATA) continue;
    *count = (int)packet->side_data[i].size;
    return packet->side_data[i].data;
  }
  return NULL;
}
