// A V4L2 driver in a preloaded library: the files $FAKE_VIDEO_DIR/video0, video1 and so on are cameras, those with an odd number
// nodes of metadata. A file's content is the memory of the camera's controls.
//
// FAKE_VIDEO_JPEG   a JPEG file of 320x240, the picture of MJPG
// FAKE_VIDEO_FRAMES the pictures after which the camera is unplugged
// FAKE_VIDEO_BUSY   another program streams
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { descriptors = 1024, buffers_most = 4 };

struct camera {
  int is_open, memory, buffers_fd, is_metadata, is_streaming, is_unplugged, buffers, head, queued;
  int queue[buffers_most];
  unsigned sequence, code, width, height, row, length, used, rate;
};
static struct camera cameras[descriptors];

static struct { unsigned id, type; const char *name; int minimum, maximum, step, value; } controls[] = {
  {V4L2_CID_BRIGHTNESS, V4L2_CTRL_TYPE_INTEGER, "Brightness", 0, 255, 1, 128},
  {V4L2_CID_CONTRAST, V4L2_CTRL_TYPE_INTEGER, "Contrast", 0, 100, 1, 50},
  {V4L2_CID_AUTO_WHITE_BALANCE, V4L2_CTRL_TYPE_BOOLEAN, "White Balance, Automatic", 0, 1, 1, 1},
  {V4L2_CID_WHITE_BALANCE_TEMPERATURE, V4L2_CTRL_TYPE_INTEGER, "White Balance Temperature", 2800, 6500, 10, 4600},
  {0x00981f00, V4L2_CTRL_TYPE_INTEGER, "Fan Speed", 0, 9, 1, 3},
  {V4L2_CID_EXPOSURE_AUTO, V4L2_CTRL_TYPE_MENU, "Auto Exposure", 0, 3, 1, 3},
  {V4L2_CID_EXPOSURE_ABSOLUTE, V4L2_CTRL_TYPE_INTEGER, "Exposure Time, Absolute", 3, 2047, 1, 250},
  {V4L2_CID_FOCUS_ABSOLUTE, V4L2_CTRL_TYPE_INTEGER, "Focus, Absolute", 0, 250, 5, 0},
  {V4L2_CID_FOCUS_AUTO, V4L2_CTRL_TYPE_BOOLEAN, "Focus, Automatic Continuous", 0, 1, 1, 0},
  {V4L2_CID_ZOOM_ABSOLUTE, V4L2_CTRL_TYPE_INTEGER, "Zoom, Absolute", 100, 500, 1, 100},
  {V4L2_CID_FLASH_LED_MODE, V4L2_CTRL_TYPE_MENU, "LED Mode", 0, 2, 1, 0},
};
enum { control_count = sizeof controls / sizeof *controls };

static const char *item(unsigned id, unsigned index) {
  // As on most cameras, the menu of the exposure lacks two values.
  if (id == V4L2_CID_EXPOSURE_AUTO) return index == 1 ? "Manual Mode" : index == 3 ? "Aperture Priority Mode" : NULL;
  static const char *lights[] = {"Off", "Flash", "Torch"};
  return index < 3 ? lights[index] : NULL;
}

static const struct { unsigned code, width, height, rates[2]; } formats[] = {
  {V4L2_PIX_FMT_YUYV, 320, 240, {30, 15}}, {V4L2_PIX_FMT_YUYV, 1280, 720, {30, 0}},
  {V4L2_PIX_FMT_NV12, 640, 480, {30, 5}},  // a range of sizes from 32x32 and of rates
  {V4L2_PIX_FMT_YUV420, 160, 120, {30, 0}}, {V4L2_PIX_FMT_MJPEG, 320, 240, {60, 0}}, {V4L2_PIX_FMT_H264, 1920, 1080, {30, 0}},
};
static const unsigned codes[] = {V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_NV12, V4L2_PIX_FMT_YUV420, V4L2_PIX_FMT_MJPEG, V4L2_PIX_FMT_H264};
enum { format_count = sizeof formats / sizeof *formats, code_count = sizeof codes / sizeof *codes };

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static struct camera *camera_of(int fd) { return fd >= 0 && fd < descriptors && cameras[fd].is_open ? &cameras[fd] : NULL; }

static int number_of(const char *path) {
  const char *folder = getenv("FAKE_VIDEO_DIR");
  size_t length = folder ? strlen(folder) : 0;
  int number = -1;
  return length && !strncmp(path, folder, length) && sscanf(path + length, "/video%d", &number) == 1 ? number : -1;
}

static int open_path(const char *path, int flags, mode_t mode) {
  int number = number_of(path);
  int memory = REAL(open)(path, number < 0 ? flags : O_RDWR | O_CLOEXEC, mode);
  if (number < 0 || memory < 0) return memory;
  // Readable when a picture is due, so that poll works.
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  cameras[fd] = (struct camera){.is_open = 1, .memory = memory, .is_metadata = number % 2, .buffers_fd = -1, .rate = 30};
  return fd;
}

static int opened(const char *path, int flags, va_list list) {
  return open_path(path, flags, flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0);
}
int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int fd = opened(path, flags, list);
  va_end(list);
  return fd;
}
int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int fd = opened(path, flags, list);
  va_end(list);
  return fd;
}
int __open_2(const char *path, int flags) { return open_path(path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_path(path, flags, 0); }

int close(int fd) {
  struct camera *camera = camera_of(fd);
  if (camera) {
    REAL(close)(camera->memory);
    if (camera->buffers_fd >= 0) REAL(close)(camera->buffers_fd);
    camera->is_open = 0;
  }
  return REAL(close)(fd);
}

static void *mapped(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  struct camera *camera = camera_of(fd);
  return REAL(mmap)(address, length, protection, flags, camera ? camera->buffers_fd : fd, offset);
}
void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  return mapped(address, length, protection, flags, fd, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  return mapped(address, length, protection, flags, fd, offset);
}

// v4l2-ctl reads from sysfs what kind of device a path is. A file that is no device has the number 0:0.
static FILE *kind(const char *path) {
  if (strcmp(path, "/sys/dev/char/0:0/uevent")) return NULL;
  static const char text[] = "DEVNAME=video0\n";
  int fd = memfd_create("uevent", 0);
  if (write(fd, text, sizeof text - 1) < 0) return NULL;
  lseek(fd, 0, SEEK_SET);
  return fdopen(fd, "r");
}
FILE *fopen(const char *path, const char *mode) {
  FILE *file = kind(path);
  return file ? file : REAL(fopen)(path, mode);
}
FILE *fopen64(const char *path, const char *mode) {
  FILE *file = kind(path);
  return file ? file : REAL(fopen64)(path, mode);
}

/// Left half red, right half blue: BT.601, limited range. Padding and the gaps between rows are green (0).
static void draw(struct camera *camera, unsigned char *to) {
  static const unsigned char red[] = {81, 90, 240}, blue[] = {41, 240, 110};
  const char *jpeg = getenv("FAKE_VIDEO_JPEG");
  if (camera->code == V4L2_PIX_FMT_MJPEG && jpeg) {
    int fd = REAL(open)(jpeg, O_RDONLY);
    ssize_t count = read(fd, to, camera->length);
    camera->used = count > 0 ? count : 0;
    REAL(close)(fd);
    return;
  }
  camera->used = camera->length;
  for (unsigned y = 0; y < camera->height; y++) {
    for (unsigned x = 0; x < camera->width; x++) {
      const unsigned char *colour = x < camera->width / 2 ? red : blue;
      unsigned chroma_row = camera->row * camera->height;
      if (camera->code == V4L2_PIX_FMT_YUYV) {
        to[y * camera->row + x * 2] = colour[0];
        to[y * camera->row + x * 2 + 1] = colour[1 + x % 2];
      } else {
        to[y * camera->row + x] = colour[0];
        if (camera->code == V4L2_PIX_FMT_NV12) {
          to[chroma_row + y / 2 * camera->row + x] = colour[1 + x % 2];
        } else {
          unsigned row = camera->row / 2, plane = row * (camera->height / 2);
          to[chroma_row + y / 2 * row + x / 2] = colour[1];
          to[chroma_row + plane + y / 2 * row + x / 2] = colour[2];
        }
      }
    }
  }
}

static int set_format(struct camera *camera, struct v4l2_pix_format *pix) {
  int best = 0, distance = 1 << 30;
  for (int i = 0; i < format_count; i++) {
    int away = formats[i].code == V4L2_PIX_FMT_NV12 ? 0 : abs((int)formats[i].width - (int)pix->width);
    if (formats[i].code == pix->pixelformat && away < distance) best = i, distance = away;
  }
  camera->code = formats[best].code;
  int is_range = camera->code == V4L2_PIX_FMT_NV12;
  camera->width = is_range ? pix->width : formats[best].width;
  camera->height = is_range ? pix->height : formats[best].height;
  unsigned row = camera->code == V4L2_PIX_FMT_YUYV ? camera->width * 2 : camera->width;
  camera->row = camera->code == V4L2_PIX_FMT_MJPEG ? 0 : row + 64;
  camera->length = camera->code == V4L2_PIX_FMT_YUYV ? camera->row * camera->height : (row + 64) * camera->height * 3 / 2;
  *pix = (struct v4l2_pix_format){
    .width = camera->width, .height = camera->height, .pixelformat = camera->code, .field = V4L2_FIELD_NONE,
    .bytesperline = camera->row, .sizeimage = camera->length};
  return 0;
}

static int enumerate_size(struct v4l2_frmsizeenum *size) {
  unsigned left = size->index;
  for (int i = 0; i < format_count; i++) {
    if (formats[i].code != size->pixel_format || left--) continue;
    size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
    size->discrete = (struct v4l2_frmsize_discrete){formats[i].width, formats[i].height};
    if (formats[i].code == V4L2_PIX_FMT_NV12) {
      size->type = V4L2_FRMSIZE_TYPE_STEPWISE;
      size->stepwise = (struct v4l2_frmsize_stepwise){32, 640, 16, 32, 480, 16};
    }
    return 0;
  }
  return EINVAL;
}

static int enumerate_interval(struct v4l2_frmivalenum *interval) {
  for (int i = 0; i < format_count; i++) {
    if (formats[i].code != interval->pixel_format || (formats[i].width != interval->width)) continue;
    if (formats[i].code == V4L2_PIX_FMT_NV12) {
      interval->type = V4L2_FRMIVAL_TYPE_CONTINUOUS;
      interval->stepwise = (struct v4l2_frmival_stepwise){{1, 30}, {1, 5}, {1, 1}};
      return interval->index ? EINVAL : 0;
    }
    if (interval->index > 1 || !formats[i].rates[interval->index]) return EINVAL;
    interval->type = V4L2_FRMIVAL_TYPE_DISCRETE;
    interval->discrete = (struct v4l2_fract){1, formats[i].rates[interval->index]};
    return 0;
  }
  return EINVAL;
}

static int control_index(unsigned id) {
  for (int i = 0; i < control_count; i++)
    if (controls[i].id == id) return i;
  return -1;
}
static int value_of(struct camera *camera, int index) {
  int value[2] = {0, 0};  // whether it was set, and the value
  return pread(camera->memory, value, sizeof value, index * sizeof value) == sizeof value && value[0] ? value[1] : controls[index].value;
}
static int set_value(struct camera *camera, int index, int wanted) {
  if (wanted < controls[index].minimum || wanted > controls[index].maximum) return ERANGE;
  int value[2] = {1, wanted};
  return pwrite(camera->memory, value, sizeof value, index * sizeof value) == sizeof value ? 0 : EIO;
}

static int stream_on(struct camera *camera, int fd) {
  long interval = 1000000000L / (camera->rate ? camera->rate : 30);
  struct itimerspec timer = {{0, interval}, {0, interval}};
  camera->is_streaming = 1;
  return timerfd_settime(fd, 0, &timer, NULL) ? errno : 0;
}

static int dequeue(struct camera *camera, int fd, struct v4l2_buffer *buffer) {
  const char *most = getenv("FAKE_VIDEO_FRAMES");
  unsigned long long due;
  if (!camera->is_streaming || !camera->queued) return EINVAL;
  if (read(fd, &due, sizeof due) != sizeof due) return EAGAIN;
  if (most && camera->sequence >= (unsigned)atoi(most)) {
    camera->is_unplugged = 1;
    return ENODEV;
  }
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  buffer->index = camera->queue[camera->head];
  camera->head = (camera->head + 1) % buffers_most;
  camera->queued--;
  buffer->bytesused = camera->used;
  buffer->sequence = camera->sequence++;
  buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  buffer->timestamp = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

static int request_buffers(struct camera *camera, struct v4l2_requestbuffers *request) {
  if (getenv("FAKE_VIDEO_BUSY")) return EBUSY;
  if (request->count > buffers_most) request->count = buffers_most;
  camera->buffers = request->count;
  if (!request->count) return 0;
  size_t page = (camera->length + 4095) / 4096 * 4096;
  camera->buffers_fd = memfd_create("buffers", MFD_CLOEXEC);
  if (ftruncate(camera->buffers_fd, page * request->count)) return ENOMEM;
  unsigned char *all = REAL(mmap)(NULL, page * request->count, PROT_READ | PROT_WRITE, MAP_SHARED, camera->buffers_fd, 0);
  for (unsigned i = 0; i < request->count; i++) draw(camera, all + i * page);
  munmap(all, page * request->count);
  return 0;
}

static int answer(struct camera *camera, int fd, unsigned long request, void *argument) {
  if (camera->is_unplugged) return ENODEV;
  switch (request) {
    case VIDIOC_QUERYCAP: {
      struct v4l2_capability *capability = argument;
      *capability = (struct v4l2_capability){.driver = "fake", .card = "Fake Camera", .bus_info = "usb-fake-1", .version = 0x60000};
      capability->device_caps = (camera->is_metadata ? V4L2_CAP_META_CAPTURE : V4L2_CAP_VIDEO_CAPTURE) | V4L2_CAP_STREAMING;
      capability->capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING | V4L2_CAP_DEVICE_CAPS;
      return 0;
    }
    case VIDIOC_ENUM_FMT: {
      struct v4l2_fmtdesc *format = argument;
      if (format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || format->index >= code_count) return EINVAL;
      format->pixelformat = codes[format->index];
      return 0;
    }
    case VIDIOC_ENUM_FRAMESIZES: return enumerate_size(argument);
    case VIDIOC_ENUM_FRAMEINTERVALS: return enumerate_interval(argument);
    case VIDIOC_S_FMT: return set_format(camera, &((struct v4l2_format *)argument)->fmt.pix);
    case VIDIOC_S_PARM: {
      struct v4l2_fract *interval = &((struct v4l2_streamparm *)argument)->parm.capture.timeperframe;
      camera->rate = interval->numerator ? interval->denominator / interval->numerator : 30;
      return 0;
    }
    case VIDIOC_REQBUFS: return request_buffers(camera, argument);
    case VIDIOC_QUERYBUF: {
      struct v4l2_buffer *buffer = argument;
      buffer->length = camera->length;
      buffer->m.offset = (camera->length + 4095) / 4096 * 4096 * buffer->index;
      return 0;
    }
    case VIDIOC_QBUF:
      camera->queue[(camera->head + camera->queued++) % buffers_most] = ((struct v4l2_buffer *)argument)->index;
      return 0;
    case VIDIOC_DQBUF: return dequeue(camera, fd, argument);
    case VIDIOC_STREAMON: return stream_on(camera, fd);
    case VIDIOC_STREAMOFF: camera->is_streaming = 0; return 0;
    case VIDIOC_QUERYCTRL: {
      struct v4l2_queryctrl *query = argument;
      int index = control_index(query->id);
      if (query->id & V4L2_CTRL_FLAG_NEXT_CTRL) {
        unsigned last = query->id & ~(V4L2_CTRL_FLAG_NEXT_CTRL | V4L2_CTRL_FLAG_NEXT_COMPOUND);
        for (index = 0; index < control_count && controls[index].id <= last;) index++;
        if (index == control_count) index = -1;
      }
      if (index < 0) return EINVAL;
      *query = (struct v4l2_queryctrl){
        .id = controls[index].id, .type = controls[index].type, .minimum = controls[index].minimum,
        .maximum = controls[index].maximum, .step = controls[index].step, .default_value = controls[index].value};
      strncpy((char *)query->name, controls[index].name, sizeof query->name - 1);
      return 0;
    }
    case VIDIOC_QUERYMENU: {
      struct v4l2_querymenu *menu = argument;
      const char *name = item(menu->id, menu->index);
      if (!name) return EINVAL;
      strncpy((char *)menu->name, name, sizeof menu->name - 1);
      return 0;
    }
    case VIDIOC_G_CTRL:
    case VIDIOC_S_CTRL: {
      struct v4l2_control *control = argument;
      int index = control_index(control->id);
      if (index < 0) return EINVAL;
      if (request == VIDIOC_S_CTRL) return set_value(camera, index, control->value);
      control->value = value_of(camera, index);
      return 0;
    }
    case VIDIOC_G_EXT_CTRLS:
    case VIDIOC_S_EXT_CTRLS: {
      struct v4l2_ext_controls *list = argument;
      for (unsigned i = 0; i < list->count; i++) {
        int index = control_index(list->controls[i].id);
        if (index < 0) return EINVAL;
        int result = request == VIDIOC_S_EXT_CTRLS ? set_value(camera, index, list->controls[i].value) : 0;
        if (result) return result;
        list->controls[i].value = value_of(camera, index);
      }
      return 0;
    }
    default: return ENOTTY;
  }
}

int ioctl(int fd, unsigned long request, ...) {
  va_list list;
  va_start(list, request);
  void *argument = va_arg(list, void *);
  va_end(list);
  struct camera *camera = camera_of(fd);
  if (!camera) return REAL(ioctl)(fd, request, argument);
  errno = answer(camera, fd, request & 0xffffffff, argument);
  return errno ? -1 : 0;
}
