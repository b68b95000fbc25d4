#include "facemesh.hpp"

#include "face_engine.hpp"

namespace {

QList<int> listOf(const std::uint16_t *table, std::uint32_t count) { return QList<int>(table, table + count); }

} // namespace

QList<int> FaceMesh::edges() const
{
  std::uint32_t count = 0;
  const std::uint16_t *table = face_mesh_edges(&count);
  return listOf(table, 2 * count);
}

QList<int> FaceMesh::triangles() const
{
  std::uint32_t count = 0;
  const std::uint16_t *table = face_mesh_triangles(&count);
  return listOf(table, 3 * count);
}

QVariantMap FaceMesh::contours() const
{
  QVariantMap found;
  for (face_contour contour = FACE_CONTOUR_FACE; const char *name = face_contour_name(contour); contour++) {
    std::uint32_t count = 0;
    const std::uint16_t *table = face_contour_indices(contour, &count);
    found.insert(QString::fromLatin1(name), QVariant::fromValue(listOf(table, count)));
  }
  return found;
}

QStringList FaceMesh::closedContours() const
{
  QStringList found;
  for (face_contour contour = FACE_CONTOUR_FACE; const char *name = face_contour_name(contour); contour++)
    if (face_contour_path(contour) == FACE_PATH_CLOSED) found << QString::fromLatin1(name);
  return found;
}

QVariantMap FaceMesh::points() const
{
  std::uint32_t count = 0;
  face_constellation_indices(FACE_CONSTELLATION_MESH, FACE_REGION_ALL_POINTS, nullptr, 0, &count);
  QVariantMap found;
  for (face_mesh_point point = 0; point < count; point++)
    if (const char *name = face_mesh_point_name(point)) found.insert(QString::fromLatin1(name), point);
  return found;
}
