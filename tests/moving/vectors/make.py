"""Prints hashes by Python's packages and by the crypt(3) of the system. Called by make.mjs, which sends the passwords."""

import crypt
import json
import sys
from importlib.metadata import version

import argon2
import bcrypt
import django
import passlib.hash as lib
from argon2.low_level import Type
from django.conf import settings
from django.contrib.auth import hashers
from werkzeug.security import generate_password_hash

settings.configure()
django.setup()

vectors = []


def add(by, format, password, hash):
    vectors.append({"by": by, "format": format, "password": password, "hash": hash})


def by_django(password):
    by = "Django " + version("django")
    for hasher, format in [
        (hashers.PBKDF2PasswordHasher(), "django-pbkdf2"),
        (hashers.PBKDF2SHA1PasswordHasher(), "django-pbkdf2"),
        (hashers.ScryptPasswordHasher(), "django-scrypt"),
        (hashers.Argon2PasswordHasher(), "django-argon2"),
        (hashers.BCryptSHA256PasswordHasher(), "django-bcrypt"),
    ]:
        # With less work than Django does, so that the test is quick.
        few = {"iterations": 20_000} if "pbkdf2" in hasher.algorithm else {}
        add(by, format, password, hasher.encode(password, hasher.salt(), **few))


def by_passlib(password):
    by = "Passlib " + version("passlib")
    for hasher, format in [
        (lib.pbkdf2_sha1.using(rounds=2000), "pbkdf2"),
        (lib.pbkdf2_sha256, "pbkdf2"),
        (lib.pbkdf2_sha512.using(rounds=2000), "pbkdf2"),
        (lib.scrypt.using(rounds=12), "scrypt"),
        (lib.phpass.using(rounds=11), "phpass"),
        (lib.sha256_crypt.using(rounds=5000), "sha-crypt"),
        (lib.sha512_crypt.using(rounds=12000), "sha-crypt"),
        (lib.ldap_salted_sha1, "ldap"),
        (lib.ldap_salted_sha256, "ldap"),
        (lib.ldap_salted_sha512, "ldap"),
        (lib.ldap_sha512_crypt.using(rounds=5000), "sha-crypt"),
    ]:
        add(by, format, password, hasher.hash(password))


def by_werkzeug(password):
    by = "Werkzeug " + version("werkzeug")
    for method, format in [
        ("scrypt", "werkzeug-scrypt"),
        ("pbkdf2:sha256:60000", "werkzeug-pbkdf2"),
        ("pbkdf2:sha1:1000", "werkzeug-pbkdf2"),
    ]:
        add(by, format, password, generate_password_hash(password, method=method))


def by_argon2(password):
    for kind in (Type.I, Type.D, Type.ID):
        hasher = argon2.PasswordHasher(time_cost=2, memory_cost=1024, parallelism=2, type=kind)
        add("argon2-cffi " + version("argon2-cffi"), "argon2", password, hasher.hash(password))
    # Version 16 of Argon2, whose hashes do not say so.
    old = argon2.low_level.hash_secret(password.encode(), b"0123456789abcdef", 2, 512, 1, 32, Type.I, 16)
    add("argon2-cffi " + version("argon2-cffi"), "argon2", password, old.decode().replace("$v=16", ""))


def by_crypt(password):
    for setting, format in [
        ("$5$saltstring$", "sha-crypt"),
        ("$6$rounds=1400$anotherlongsalts$", "sha-crypt"),
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.", "bcrypt"),
        ("$2b$05$CCCCCCCCCCCCCCCCCCCCC.", "bcrypt"),
        ("$2x$05$CCCCCCCCCCCCCCCCCCCCC.", "bcrypt"),
        ("$2y$05$CCCCCCCCCCCCCCCCCCCCC.", "bcrypt"),
    ]:
        add("libxcrypt", format, password, crypt.crypt(password, setting))


for password in json.load(sys.stdin):
    by_django(password)
    by_passlib(password)
    by_werkzeug(password)
    by_argon2(password)
    by_crypt(password)
    add("bcrypt " + version("bcrypt") + " for Python", "bcrypt", password,
        bcrypt.hashpw(password.encode()[:72], bcrypt.gensalt(5)).decode())

json.dump(vectors, sys.stdout)
