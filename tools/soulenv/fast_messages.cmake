# Included into soul_msgs by CMAKE_PROJECT_INCLUDE: compile the generated sources in fewer, larger
# pieces. Each of the 42 interfaces becomes ten small files that all read the same heavy headers;
# joined, they cost half the time. soul_msgs itself knows nothing of this.

function(soul_join_sources)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "SHARED_LIBRARY")
      continue()
    endif()
    if(target MATCHES "introspection_cpp$")
      # its sources specialise templates that a neighbour may have used: these cannot be joined
      target_precompile_headers(${target} PRIVATE
        <array> <memory> <string> <vector>
        <rosidl_runtime_c/message_type_support_struct.h>
        <rosidl_runtime_cpp/bounded_vector.hpp>
        <rosidl_runtime_cpp/message_initialization.hpp>
        <rosidl_typesupport_introspection_cpp/field_types.hpp>
        <rosidl_typesupport_introspection_cpp/message_introspection.hpp>
        <rosidl_typesupport_introspection_cpp/message_type_support_decl.hpp>
        <rosidl_typesupport_introspection_cpp/service_introspection.hpp>)
      continue()
    endif()
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      # each of these defines static variables of the same names
      if(source MATCHES "__description\\.c$")
        set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 21)
  endforeach()
endfunction()

# the targets exist only at the end of soul_msgs' own CMakeLists.txt
cmake_language(DEFER CALL soul_join_sources)
