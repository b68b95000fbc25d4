/* Shared by the parts about docs/features.md: the photo's pixels, and functions that compare faces. */
#ifndef FEATURES_H
#define FEATURES_H

#include "abi.h"
#include <math.h>

enum { WIDTH = 512, HEIGHT = 600 };

/* The photo's pixels, and room for as many in any format with gaps between rows. */
extern unsigned char rgb[HEIGHT][WIDTH][3];
extern unsigned char other[(WIDTH + 64) * (HEIGHT + 64) * 4];

/* An image of the photo's size. */
face_image raw(face_format format, const void *pixels, size_t size);
/* The photo's pixels, unchanged. */
face_image upright(void);
/* The photo, mirrored if requested, as it would be stored with an orientation; in `other`. */
face_image stored_as(face_orientation orientation, int mirrored);
/* The result of an image with one face. */
face_result *found(face_image image, face_outputs outputs);
/* That face; in pixels where `space` is NULL. */
face_info told(const face_result *result, const face_space *space);
face_info face_of(face_image image, face_outputs outputs);

int near(float a, float b, float tolerance);
int near_points(face_point a, face_point b, float tolerance);
int same_place(face_info a, face_info b, float tolerance);

void input_features(void);
void result_features(void);
void tracking_features(void);
void id_features(void);
void follow_features(void);
void rate_features(void);
void reidentify_features(void);
void best_features(void);
void visit_features(void);
void check_features(void);
void contract_features(void);

#endif
