# shellcheck shell=sh
# Enter soul's environment:  . tools/env.sh     (bash and zsh, from any directory)
#
# Puts the virtual environment and the built workspace on the paths of this shell. With a sourced
# ROS 2 installation the environment that was built over it is taken; SOUL_FAMILY names another:
# SOUL_FAMILY=jazzy . tools/env.sh

# Where this file is. A plain POSIX shell cannot know; there the caller sets _soul_here. The eval
# hides each shell's own syntax from the others.
if [ -n "${BASH_VERSION:-}" ]; then
  eval '_soul_here=${BASH_SOURCE[0]}'
elif [ -n "${ZSH_VERSION:-}" ]; then
  eval '_soul_here=${(%):-%x}'
fi
_soul_root=$(CDPATH='' cd -P -- "$(dirname -- "${_soul_here:-tools/env.sh}")/.." && pwd)

# _soul_prepend NAME DIRS: put DIRS before the list NAME, without what this checkout put there
# earlier: entering twice changes nothing, entering another family leaves the first.
_soul_prepend() {
  eval "_soul_rest=\${$1:-}:"
  _soul_kept=
  while [ -n "$_soul_rest" ]; do
    _soul_part=${_soul_rest%%:*}
    _soul_rest=${_soul_rest#*:}
    case $_soul_part in
      '' | "$_soul_root"/.venv* | "$_soul_root"/install* | "$_soul_root"/build* | "$_soul_root"/src) ;;
      *) _soul_kept=$_soul_kept:$_soul_part ;;
    esac
  done
  export "$1=$2$_soul_kept"
}

# _soul_find_sourced: the ROS 2 installation of this shell, if any; the rule is that of
# tools/soulenv/families.py.
_soul_find_sourced() {
  _soul_sourced=
  [ -n "${ROS_DISTRO:-}" ] || return 0
  _soul_rest=${AMENT_PREFIX_PATH:-}:
  while [ -n "$_soul_rest" ]; do
    _soul_part=${_soul_rest%%:*}
    _soul_rest=${_soul_rest#*:}
    case $_soul_part in
      '' | "$_soul_root" | "$_soul_root"/*) continue ;;
    esac
    if [ -f "$_soul_part/share/rclpy/package.xml" ] && [ -f "$_soul_part/setup.sh" ]; then
      _soul_sourced=$ROS_DISTRO
    fi
  done
}

_soul_enter() {
  _soul_find_sourced
  _soul_family=${SOUL_FAMILY:-${_soul_sourced:-kilted}}
  _soul_suffix=-$_soul_family
  if [ "$_soul_family" = kilted ] && [ "$_soul_sourced" != kilted ]; then
    _soul_suffix=
  fi
  if [ ! -f "$_soul_root/.venv$_soul_suffix/soul_env.sh" ]; then
    echo "soul is not set up for ROS 2 $_soul_family here. Run first:" >&2
    if [ -n "$_soul_suffix" ] && [ -z "$_soul_sourced" ]; then
      echo "  (cd $_soul_root && python3 tools/setup_env.py --family $_soul_family)" >&2
    else
      echo "  make -C $_soul_root setup" >&2
    fi
    return 1
  fi
  . "$_soul_root/.venv$_soul_suffix/soul_env.sh"
  # A persona talks to its own robot. To be seen on the network set this to SUBNET before.
  if [ -z "${ROS_AUTOMATIC_DISCOVERY_RANGE:-}" ] && [ -z "${ROS_LOCALHOST_ONLY:-}" ]; then
    export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
  fi
}

# _soul_leave STATUS: remove the helpers again and end with the status.
_soul_leave() {
  unset -f _soul_prepend _soul_find_sourced _soul_enter _soul_leave
  unset _soul_here _soul_root _soul_rest _soul_kept _soul_part _soul_sourced _soul_family
  unset _soul_suffix
  return "$1"
}

_soul_enter
_soul_leave $?
