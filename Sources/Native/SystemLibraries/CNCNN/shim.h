#include <ncnn/c_api.h>
