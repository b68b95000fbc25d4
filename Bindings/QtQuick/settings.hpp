/* What a session is opened with, and its options by name. */
#pragma once

#include "face_engine.hpp"

#include <QVariantMap>

/* A copy of all properties that a session depends on. */
struct Settings {
  QString source;
  int turn = 0; /* degrees clockwise */
  face::options detection;
  face::session_options session;
  bool isCheck = false;
  face::check_options check;
  face::space view; /* of check.mask; without a size until the item has one */

  /* Sets options by their names in QML, as in {minConfidence: 0.5, accuracy: "high"}. Returns what is wrong and what to
   * do, or an empty text. */
  QString apply(const QVariantMap &options);
  /* Requests outputs by their names in QML, as in "isoQuality". */
  QString request(const QStringList &outputs);
  /* Sets the actions of the check, by names such as "turnLeft". */
  QString demand(const QStringList &actions);
};

/* The name in QML, in camel case, of what the library names with hyphens or underscores. */
QByteArray qmlName(const char *name);
