#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

// Expression macros that Swift does not import.
static const int averror_eof = AVERROR_EOF;
static const int averror_again = AVERROR(EAGAIN);
static const int64_t av_no_pts = AV_NOPTS_VALUE;
