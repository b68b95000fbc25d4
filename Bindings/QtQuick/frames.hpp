/* Video frames of Qt as images of the engine. */
#pragma once

#include "face_engine.hpp"

#include <QVideoFrame>

/* A frame whose pixels are mapped, and the image that borrows them. Frames in a format that the engine does not take
 * are converted. */
class MappedFrame {
public:
  /* `turn`: degrees clockwise, a multiple of 90, by which the frame has to be turned beyond what it says itself. */
  MappedFrame(const QVideoFrame &frame, int turn);
  ~MappedFrame();
  MappedFrame(const MappedFrame &) = delete;
  MappedFrame &operator=(const MappedFrame &) = delete;

  /* Whether the pixels can be read. */
  bool isValid() const { return isMapped_ || !converted_.isNull(); }

  /* The image for face_session_submit, whose `release` deletes `frame`, from any thread. */
  static face::image submitted(std::unique_ptr<MappedFrame> frame);

private:
  void describe();
  void convert();

  QVideoFrame frame_;
  QImage converted_;
  face::image image_;
  bool isMapped_ = false;
};
