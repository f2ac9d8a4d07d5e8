/** The Express versions under their numbers. */
import express from 'express';

export async function expressVersion(version: 4 | 5): Promise<typeof express> {
  return version === 5 ? express : (await import('express4')).default;
}
