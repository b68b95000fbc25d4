/* The QML singleton FaceMesh. */
#pragma once

#include <QObject>
#include <QQmlEngine>
#include <QVariantMap>

/* The face mesh as data: indices of the points of a face's role `landmarks`. */
class FaceMesh : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_SINGLETON
  /* Two indices for each edge. */
  Q_PROPERTY(QList<int> edges READ edges CONSTANT)
  /* Three indices for each triangle. */
  Q_PROPERTY(QList<int> triangles READ triangles CONSTANT)
  /* The indices of the points of each contour, by its name as in "leftEyebrowTop". */
  Q_PROPERTY(QVariantMap contours READ contours CONSTANT)
  /* The names of the contours whose last point is joined to the first. */
  Q_PROPERTY(QStringList closedContours READ closedContours CONSTANT)
  /* The index of each point that has a name, as in "leftCheek". */
  Q_PROPERTY(QVariantMap points READ points CONSTANT)

public:
  explicit FaceMesh(QObject *parent = nullptr) : QObject(parent) {}

  QList<int> edges() const;
  QList<int> triangles() const;
  QVariantMap contours() const;
  QStringList closedContours() const;
  QVariantMap points() const;
};
