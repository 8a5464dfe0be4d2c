#pragma once
#include <errno.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <sys/ioctl.h>

// Swift imports neither variadic functions nor the macros of ioctl numbers. Each function returns 0 or the errno.
#define V4L_CALL(name, number, type)                 \
  static inline int name(int fd, type *argument) {   \
    int result;                                      \
    do {                                             \
      result = ioctl(fd, number, argument);          \
    } while (result < 0 && errno == EINTR);          \
    return result < 0 ? errno : 0;                   \
  }

V4L_CALL(v4l_capability, VIDIOC_QUERYCAP, struct v4l2_capability)
V4L_CALL(v4l_describe_format, VIDIOC_ENUM_FMT, struct v4l2_fmtdesc)
V4L_CALL(v4l_frame_size, VIDIOC_ENUM_FRAMESIZES, struct v4l2_frmsizeenum)
V4L_CALL(v4l_frame_interval, VIDIOC_ENUM_FRAMEINTERVALS, struct v4l2_frmivalenum)
V4L_CALL(v4l_set_format, VIDIOC_S_FMT, struct v4l2_format)
V4L_CALL(v4l_set_parameters, VIDIOC_S_PARM, struct v4l2_streamparm)
V4L_CALL(v4l_request_buffers, VIDIOC_REQBUFS, struct v4l2_requestbuffers)
V4L_CALL(v4l_query_buffer, VIDIOC_QUERYBUF, struct v4l2_buffer)
V4L_CALL(v4l_queue, VIDIOC_QBUF, struct v4l2_buffer)
V4L_CALL(v4l_dequeue, VIDIOC_DQBUF, struct v4l2_buffer)
V4L_CALL(v4l_stream_on, VIDIOC_STREAMON, int)
V4L_CALL(v4l_stream_off, VIDIOC_STREAMOFF, int)
V4L_CALL(v4l_query_control, VIDIOC_QUERYCTRL, struct v4l2_queryctrl)
V4L_CALL(v4l_query_menu, VIDIOC_QUERYMENU, struct v4l2_querymenu)
V4L_CALL(v4l_get_control, VIDIOC_G_CTRL, struct v4l2_control)
V4L_CALL(v4l_set_control, VIDIOC_S_CTRL, struct v4l2_control)
#undef V4L_CALL

static const int v4l_capture = V4L2_BUF_TYPE_VIDEO_CAPTURE;

// Unions and packed structures, by their fields.
static inline int64_t v4l_menu_value(const struct v4l2_querymenu *item) { return item->value; }
static inline void v4l_menu_name(const struct v4l2_querymenu *item, char *name) {
  for (int i = 0; i < 32; i++) name[i] = (char)item->name[i];
  name[32] = 0;
}
static inline uint32_t v4l_buffer_offset(const struct v4l2_buffer *buffer) { return buffer->m.offset; }
