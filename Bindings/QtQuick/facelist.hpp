/* The faces of a frame as a list model. */
#pragma once

#include "face_engine.hpp"

#include <QAbstractListModel>
#include <QPointF>
#include <QQmlEngine>
#include <QRectF>
#include <QVariantMap>

#include <optional>

/* A row for each face. A face keeps its row, and a Repeater its delegate, from frame to frame. Boxes and points are
 * converted to the item's coordinates when they are read. */
class FaceList : public QAbstractListModel {
  Q_OBJECT
  QML_ANONYMOUS
  Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
  using QAbstractListModel::QAbstractListModel;

  int count() const { return static_cast<int>(faces_.size()); }

  int rowCount(const QModelIndex &parent = {}) const override;
  QVariant data(const QModelIndex &index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  /* Replaces the faces by those of a newer frame. */
  void update(face::result faces);
  /* Sets the coordinates of the item, whose size may be empty: then boxes and points are pixels of the picture. */
  void setSpace(const face::space &space);
  void clear() { update({}); }
  /* Sets the screen of the role lookAt. */
  void setScreen(const std::optional<face_screen> &screen);
  /* Of the newest frame, as in {name: "yunet", revision: 1, weightsSha256: "…"}. */
  QVariantList models() const { return models_; }

signals:
  void countChanged();
  void modelsChanged();

private:
  QRectF converted(const face_box &box) const;
  QVariant converted(std::vector<face_point> points) const;
  QVariant output(const face::face &found, const face_output &output) const;

  void noteModels(const std::vector<face_model> &models);

  std::vector<face::face> faces_;
  QVariantList models_;
  std::optional<face_screen> screen_;
  std::uint32_t width_ = 0, height_ = 0; /* of the picture */
  face::space space_;
};
