/* Text of several scripts, labels and an overlay, drawn in two threads: for valgrind. */
#include <face_engine_draw.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 160 };

static int draw(void)
{
  static const char *const labels[] = {"Grace Hopper", "\u30b0\u30ec\u30fc\u30b9", "\u063a\u0631\u064a\u0633", NULL};
  unsigned char pixels[HEIGHT * WIDTH * 3];
  memset(pixels, 100, sizeof pixels);
  face_info faces[4];
  for (int i = 0; i < 4; i++) {
    memset(&faces[i], 0, sizeof faces[i]);
    faces[i].struct_size = sizeof faces[i];
    faces[i].box = (face_box){80 * (float)i + 10, 60, 60, 70};
    faces[i].confidence = 0.9f;
    faces[i].valid = FACE_VALID_ID | FACE_VALID_POSE | FACE_VALID_POINTS;
    faces[i].id = (uint64_t)i + 1;
    faces[i].yaw = 30;
    faces[i].left_eye = (face_point){80 * (float)i + 55, 80};
    faces[i].right_eye = (face_point){80 * (float)i + 30, 80};
    faces[i].mouth_left = (face_point){80 * (float)i + 50, 110};
    faces[i].mouth_right = (face_point){80 * (float)i + 32, 110};
  }
  face_picture *picture = NULL;
  int failed = face_picture_attach(FACE_FORMAT_RGB, WIDTH, HEIGHT, 0, pixels, sizeof pixels, &picture) != FACE_OK;
  face_draw_style style;
  face_draw_style_init(&style);
  style.marks = FACE_DRAW_BOXES | FACE_DRAW_IDS | FACE_DRAW_ANGLES | FACE_DRAW_AXES | FACE_DRAW_TURNED_BOXES;
  style.text_size = 12;
  failed += face_draw_labelled_faces(picture, faces, labels, 4, &style) != FACE_OK;
  style.plates = style.colours_by_id = style.scale_to_faces = 1;
  failed += face_draw_labelled_faces(picture, faces, labels, 4, &style) != FACE_OK;
  failed += face_draw_text(picture, "text", (face_point){10, 20}, FACE_DRAW_ANCHOR_LEFT, NULL) != FACE_OK;
  face_image overlay;
  memset(&overlay, 0, sizeof overlay);
  overlay.struct_size = sizeof overlay;
  overlay.format = FACE_FORMAT_RGB;
  overlay.width = WIDTH;
  overlay.height = HEIGHT;
  overlay.planes[0] = pixels;
  overlay.plane_sizes[0] = sizeof pixels;
  failed += face_draw_overlay(picture, &overlay, &faces[0], NULL) != FACE_OK;
  if (failed) fprintf(stderr, "%d calls failed; the last error: %s\n", failed, face_draw_last_error());
  face_picture_destroy(picture);
  return failed;
}

static void *in_thread(void *failed)
{
  *(int *)failed = draw();
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int failed = 1;
  if (pthread_create(&thread, NULL, in_thread, &failed) != 0) return 2;
  pthread_join(thread, NULL);
  return failed + draw();
}
