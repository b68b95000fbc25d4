#include "facelist.hpp"

#include "members.hpp"
#include "settings.hpp"

#include <algorithm>

namespace {

enum Role { FaceId = Qt::UserRole + 1, Box, Predicted, FrameCount, LookAt, FirstMember };

struct Member {
  const char *role;
  std::size_t offset;
  std::uint32_t known; /* the bit of face_info.valid; 0 for what is always known */
  bool isPoint;
};

#define POINT(role, member, known) {role, offsetof(face_info, member), known, true},
#define NUMBER(role, member, known) {role, offsetof(face_info, member), known, false},

constexpr Member members[] = {MEMBERS(POINT, NUMBER)};

#undef POINT
#undef NUMBER

constexpr int firstOutput = FirstMember + static_cast<int>(std::size(members));

template <typename Value> Value memberAt(const face_info &info, std::size_t offset)
{
  return *reinterpret_cast<const Value *>(reinterpret_cast<const char *>(&info) + offset);
}

template <typename Numbers> QVariant listOf(const Numbers &numbers)
{
  return QVariant::fromValue(QList<qreal>(numbers.begin(), numbers.end()));
}

/* Whether a face is that of a row. One has no id in its first frames: then it is where it was. */
bool isSame(const face::face &row, const face::face &now)
{
  if (row.id != 0) return row.id == now.id;
  const float x = row.box.x + row.box.width / 2, y = row.box.y + row.box.height / 2;
  return x >= now.box.x && y >= now.box.y && x <= now.box.x + now.box.width && y <= now.box.y + now.box.height;
}

} // namespace

int FaceList::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : count(); }

QHash<int, QByteArray> FaceList::roleNames() const
{
  QHash<int, QByteArray> names{
      {FaceId, "faceId"}, {Box, "box"}, {Predicted, "predicted"}, {FrameCount, "frameCount"}, {LookAt, "lookAt"}};
  for (const Member &member : members) names.insert(FirstMember + static_cast<int>(&member - members), member.role);
  for (std::uint32_t index = 0; const face_output *output = face_output_at(index); index++)
    if ((output->bit & OUTPUTS_OF_MEMBERS) == 0)
      names.insert(firstOutput + static_cast<int>(index), qmlName(output->name));
  return names;
}

QVariant FaceList::data(const QModelIndex &index, int role) const
{
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const face::face &found = faces_[static_cast<std::size_t>(index.row())];
  switch (role) {
  /* As a double, since JavaScript has no other numbers. */
  case FaceId: return static_cast<double>(found.id);
  case Box: return converted(found.box);
  case Predicted: return found.predicted != 0;
  case FrameCount: return found.frame_count;
  case LookAt: {
    const std::optional<face_point> point = screen_ ? found.look_at(*screen_) : std::nullopt;
    return point ? QVariant(QPointF(point->x, point->y)) : QVariant();
  }
  default: break;
  }
  if (role >= firstOutput) {
    const face_output *requested = face_output_at(static_cast<std::uint32_t>(role - firstOutput));
    return requested != nullptr && (found.valid & requested->bit) != 0 ? output(found, *requested) : QVariant();
  }
  if (role < FirstMember) return {};
  const Member &member = members[role - FirstMember];
  if (member.known != 0 && (found.valid & member.known) == 0) return {};
  if (!member.isPoint) return memberAt<float>(found, member.offset);
  return converted(std::vector{memberAt<face_point>(found, member.offset)}).toList().constFirst();
}

QVariant FaceList::output(const face::face &found, const face_output &output) const
{
  if (output.bit == FACE_OUTPUT_LANDMARKS) {
    std::vector<face_point> points;
    for (const face_landmark &landmark : found.landmarks) points.push_back({landmark.x, landmark.y});
    return converted(std::move(points));
  }
  if (output.bit == FACE_OUTPUT_EXPRESSIONS) {
    QVariantMap named;
    for (std::uint32_t index = 0; index < found.expressions.size(); index++)
      named.insert(QString::fromLatin1(qmlName(face_expression_name(index))), found.expressions[index]);
    return named;
  }
  const auto values = found.values.find(output.bit);
  return values != found.values.end() ? listOf(values->second) : QVariant();
}

QRectF FaceList::converted(const face_box &box) const
{
  const bool hasView = space_.view_width > 0 && space_.view_height > 0;
  const face_box made = hasView ? space_.to(box, width_, height_) : box;
  return {made.x, made.y, made.width, made.height};
}

QVariant FaceList::converted(std::vector<face_point> points) const
{
  if (space_.view_width > 0 && space_.view_height > 0)
    face_points_to_space(&space_, width_, height_, points.data(), static_cast<std::uint32_t>(points.size()));
  QVariantList made;
  for (const face_point &point : points) made << QPointF(point.x, point.y);
  return made;
}

void FaceList::update(face::result faces)
{
  const int before = count();
  /* A frame that was not searched has none. */
  if (!faces.models.empty()) noteModels(faces.models);
  width_ = faces.width;
  height_ = faces.height;
  const auto take = [&faces](const face::face &row) {
    auto found = std::find_if(faces.begin(), faces.end(), [&row](const face::face &now) { return isSame(row, now); });
    std::optional<face::face> taken;
    if (found == faces.end()) return taken;
    taken = std::move(*found);
    faces.erase(found);
    return taken;
  };
  for (std::size_t row = 0; row < faces_.size();) {
    if (std::optional<face::face> same = take(faces_[row])) {
      faces_[row++] = std::move(*same);
      continue;
    }
    const int place = static_cast<int>(row);
    beginRemoveRows({}, place, place);
    faces_.erase(faces_.begin() + place);
    endRemoveRows();
  }
  if (!faces_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
  if (!faces.empty()) {
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(faces.size()) - 1);
    faces_.insert(faces_.end(), faces.begin(), faces.end());
    endInsertRows();
  }
  /* Last, since the list may be destroyed by it. */
  if (count() != before) emit countChanged();
}

void FaceList::noteModels(const std::vector<face_model> &models)
{
  QVariantList made;
  for (const face_model &model : models) {
    const QByteArray hash(reinterpret_cast<const char *>(model.weights_sha256), sizeof model.weights_sha256);
    made << QVariantMap{{QStringLiteral("name"), QString::fromUtf8(model.name)},
                        {QStringLiteral("revision"), model.revision},
                        {QStringLiteral("weightsSha256"), QString::fromLatin1(hash.toHex())}};
  }
  if (made == models_) return;
  models_ = made;
  emit modelsChanged();
}

void FaceList::setScreen(const std::optional<face_screen> &screen)
{
  screen_ = screen;
  if (!faces_.empty()) emit dataChanged(index(0), index(rowCount() - 1), {LookAt});
}

void FaceList::setSpace(const face::space &space)
{
  space_ = space;
  if (!faces_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
}
