# find_package(FaceEngine 0.2 REQUIRED) gives the targets FaceEngine::faceengine and FaceEngine::draw. Relocatable:
# everything is found from where this file lies, LIBDIR/cmake/FaceEngine.
if(NOT TARGET FaceEngine::faceengine)
  get_filename_component(_faceengine_libdir "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  find_path(_faceengine_include face_engine.h
    PATHS "${_faceengine_libdir}/../include" "${_faceengine_libdir}/../../include" NO_DEFAULT_PATH NO_CACHE REQUIRED)
  add_library(FaceEngine::faceengine SHARED IMPORTED)
  set_target_properties(FaceEngine::faceengine PROPERTIES
    IMPORTED_LOCATION "${_faceengine_libdir}/libfaceengine.so"
    IMPORTED_SONAME "libfaceengine.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_faceengine_include}")
  add_library(FaceEngine::draw SHARED IMPORTED)
  set_target_properties(FaceEngine::draw PROPERTIES
    IMPORTED_LOCATION "${_faceengine_libdir}/libfaceengine-draw.so"
    IMPORTED_SONAME "libfaceengine-draw.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_faceengine_include}")
  unset(_faceengine_libdir)
  unset(_faceengine_include)
endif()
