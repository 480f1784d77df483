# The project.
cmake_minimum_required(VERSION 3.20)
project(engine LANGUAGES C CXX)

#[[ block
add_library(hidden)
]]
option(WITH_TESTS "Build tests (all)" ON)
set(SOURCES
    a.c
    b.c
)

# Adds a part.
function(add_part name)
  if(NOT TARGET ${name})
    add_library(${name} STATIC ${SOURCES})
  endif()
endfunction()

MACRO(my_macro arg)
  message(STATUS "set(NOT_ONE)")
ENDMACRO()

add_executable(app main.c)
target_link_libraries(app PRIVATE engine)
add_test(NAME unit COMMAND app)
