// Joins a room and writes the pictures of the first camera to the standard output, as a player reads them:
//
//   c++ -std=c++17 viewer.cpp -o viewer $(pkg-config --cflags --libs roomclient)
//   ./viewer ws://127.0.0.1:8080/v1/signal TOKEN | ffplay -
//   ./viewer URL TOKEN 50 > first-50-pictures.y4m
//
// Callbacks run on the queue's own thread; the main thread waits for the end.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>

#include "roomclient.h"

namespace {

void check(const char *what, rc_status status) {
  if (status == RC_OK) return;
  throw std::runtime_error(std::string(what) + ": " + rc_status_name(status) + ": " + rc_last_error());
}

/// A handle that is released at the end of its scope.
template <typename T>
class Handle {
 public:
  Handle() = default;
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  ~Handle() { rc_release(value_); }
  T *get() const { return value_; }
  T **out() { return &value_; }

 private:
  T *value_ = nullptr;
};

class Viewer {
 public:
  explicit Viewer(long limit) : limit_(limit) {
    check("queue", rc_queue_create(queue_.out()));
    check("thread", rc_queue_start_thread(queue_.get()));
  }

  // Callbacks use the members, so they end first.
  ~Viewer() { rc_queue_close(queue_.get()); }

  /// Returns when enough pictures were written, or the room was closed.
  void run(const char *url, const char *token) {
    check("connect", rc_room_connect(queue_.get(), url, token, nullptr, &Viewer::event, &Viewer::joined, this, room_.out()));
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return over_; });
    if (!failure_.empty()) throw std::runtime_error(failure_);
  }

 private:
  void end(const std::string &failure = "") {
    std::lock_guard lock(mutex_);
    over_ = true;
    failure_ = failure;
    ended_.notify_all();
  }

  static void joined(void *context, rc_status status, const char *message, const char *) {
    if (status != RC_OK) static_cast<Viewer *>(context)->end(message);
  }

  static void event(void *context, rc_room *, const rc_event *event) {
    auto *viewer = static_cast<Viewer *>(context);
    const std::string json = event->json;
    if (event->type == RC_EVENT_TRACK_SUBSCRIBED && json.find("\"kind\":\"video\"") != std::string::npos && !viewer->reader_.get()) {
      std::cerr << "watching " << json << '\n';
      rc_remote_read_video(event->track, viewer->queue_.get(), &Viewer::picture, viewer, viewer->reader_.out());
    } else if (event->type == RC_EVENT_STATE_CHANGED && json.find("\"closed\"") != std::string::npos) {
      viewer->end();
    }
  }

  static void picture(void *context, rc_reader *, const rc_i420 *picture) {
    auto *viewer = static_cast<Viewer *>(context);
    if (!picture) return viewer->end();
    viewer->write(*picture);
  }

  void write(const rc_i420 &picture) {
    if (written_ == limit_) return;
    if (written_ == 0) {
      width_ = picture.width;
      height_ = picture.height;
      std::printf("YUV4MPEG2 W%d H%d F24:1 Ip A1:1 C420jpeg\n", width_, height_);
    }
    if (picture.width != width_ || picture.height != height_) return;  // The format has one size.
    std::printf("FRAME\n");
    rows(picture.y, picture.stride_y, width_, height_);
    rows(picture.u, picture.stride_uv, (width_ + 1) / 2, (height_ + 1) / 2);
    rows(picture.v, picture.stride_uv, (width_ + 1) / 2, (height_ + 1) / 2);
    std::fflush(stdout);
    if (++written_ == limit_) end();
  }

  static void rows(const uint8_t *plane, int stride, int width, int height) {
    for (int row = 0; row < height; row++) std::fwrite(plane + row * stride, 1, width, stdout);
  }

  Handle<rc_queue> queue_;
  Handle<rc_room> room_;
  Handle<rc_reader> reader_;
  const long limit_;
  long written_ = 0;
  int width_ = 0, height_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::string failure_;
};

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::cerr << "usage: viewer URL TOKEN [PICTURES]\n";
    return 2;
  }
  try {
    Viewer(argc > 3 ? std::atol(argv[3]) : -1).run(argv[1], argv[2]);
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
