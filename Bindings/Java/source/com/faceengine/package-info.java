/**
 * Finds faces in photos and video: boxes, landmarks, head pose, expression and quality, with ids from frame to frame.
 *
 * <pre>{@code
 * try (Engine engine = Engine.load()) { // or Engine.connect(), to a running engine
 *   for (Face face : engine.detect(Image.file(Path.of("photo.jpg")), new DetectOptions().pose(true))) {
 *     System.out.println(face.box() + " " + face.pose());
 *   }
 * }
 * }</pre>
 *
 * <p>Positions are pixels of the upright image: the origin is its top-left corner, y points down. Left and right are
 * the subject's own. Pictures stay in memory on the machine. Methods return null, and accept it, only where their text
 * says so.
 */
package com.faceengine;
