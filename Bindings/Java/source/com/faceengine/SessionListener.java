package com.faceengine;

/**
 * Receives the events of a session, one at a time, on the session's own thread. While a method runs, the session
 * searches nothing; with {@link SessionMode#NEWEST} newer frames replace the one that waits. Each frame ends in exactly
 * one of onFaces, onDropped and onFailed. An exception that a method throws goes to the thread's handler of uncaught
 * exceptions, and the session continues.
 *
 * <p>A method may submit frames, restart a check and close its own session, which is quiet from then on and ends when
 * the method has returned.
 */
public interface SessionListener {
  /**
   * The frame was searched.
   *
   * @param frame the frame
   * @param faces its faces, perhaps none
   */
  default void onFaces(Frame frame, Faces faces) {}

  /**
   * A newer frame came before this one was searched.
   *
   * @param frame the frame
   * @param droppedSoFar how many frames of this session ended so, this one included
   */
  default void onDropped(Frame frame, long droppedSoFar) {}

  /**
   * The frame could not be searched.
   *
   * @param frame the frame
   * @param failure why
   */
  default void onFailed(Frame frame, FaceEngineException failure) {}

  /**
   * A tracked face has left, which became known with this frame.
   *
   * @param frame the frame
   * @param faceId its {@link Face#id}
   */
  default void onLeft(Frame frame, long faceId) {}

  /**
   * One event of a guided check, after onFaces of its frame.
   *
   * @param frame the frame
   * @param update the event
   */
  default void onCheck(Frame frame, CheckUpdate update) {}

  /**
   * The best picture of a face, in a session with {@link SessionOptions#bestSize}: after onLeft of the face, and on the
   * thread that calls {@link Session#best}.
   *
   * @param frame the frame of the picture
   * @param picture the picture
   */
  default void onBest(Frame frame, BestPicture picture) {}
}
