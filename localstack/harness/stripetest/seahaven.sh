#!/bin/sh
# Installs Python 3.14 and seahaven-stripe-world into an empty folder ($1). It needs an x86-64 machine with Debian.
# Python comes from Debian's unstable distribution with the libraries that it needs, which are unpacked and not
# installed, so nothing else on the machine changes.
set -eu
mkdir -p "$1"
cd "$1"
mkdir -p apt/lists/partial apt/archives/partial
touch apt/status
mirror=$(grep -rhoE 'https?://[^ ]*/debian/?( |$)' /etc/apt/sources.list* | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >apt/sources.list
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$PWD/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State="$PWD/apt" \
    -o Dir::State::status="$PWD/apt/status" -o Dir::Cache="$PWD/apt" -o APT::Install-Recommends=false \
    -o APT::Sandbox::User=root -o Debug::NoLocking=1 "$@"
}
apt update
apt --download-only --yes install python3.14
for package in apt/archives/*.deb; do dpkg-deb --extract "$package" .; done
rm -r apt

cat >python <<'PYTHON'
#!/bin/sh
home=$(dirname "$0")
export PYTHONPATH="$home/site"
exec "$home/usr/lib64/ld-linux-x86-64.so.2" --library-path "$home/usr/lib/x86_64-linux-gnu" "$home/usr/bin/python3.14" "$@"
PYTHON
chmod +x python
python3 -m pip download --quiet --disable-pip-version-check --no-deps pip==26.3
pip=$(echo pip-*.whl)
./python "$pip/pip" install --quiet --disable-pip-version-check --root-user-action=ignore --target=site \
  --only-binary=:all: --no-deps seahaven-stripe-world==0.3.0 seahaven==0.6.0 starlette==1.10.0 uvicorn==0.54.0 \
  pydantic==2.14.4 pydantic_core==2.50.5 apsw==3.54.1.0 anyio==4.16.0 click==8.5.1 h11==0.16.0 idna==3.20 \
  PyYAML==6.0.4 typing_extensions==4.16.0 typing_inspection==0.4.5 annotated_types==0.8.0
rm "$pip"
