import { describe, expect, it } from 'vitest';

import { ns } from '../lib/brand';
import { readDuration, readProbability, readQueueLimit, readRate, readSize, writeDuration } from './quantity';

describe('durations', () => {
  it.each([
    ['3 s', 3e9],
    ['3.5s', 3.5e9],
    [' 250 ms ', 250e6],
    ['2 min', 120e9],
    ['1 h', 3600e9],
    ['40 us', 40e3],
    ['7 ns', 7],
  ])('reads %j', (text, value) => {
    expect(readDuration(text)).toEqual({ value });
  });

  it.each([
    ['3', /no unit/],
    ['', /Required/],
    ['3 parsecs', /Not understood/],
    ['-3 s', /Not understood/],
    ['3 s toString', /Not understood/],
  ])('refuses %j and says what would be right', (text, message) => {
    const read = readDuration(text);
    expect('wrong' in read && read.wrong).toMatch(message);
    expect('wrong' in read && read.wrong).toContain('3 s');
  });

  it.each([
    [0, '0 s'],
    [3e9, '3 s'],
    [13.25e9, '13.25 s'],
    [250e6, '250 ms'],
    [1_500_000, '1.5 ms'],
    [3600e9, '3600 s'],
    [1.0005e9, '1000.5 ms'],
    [7, '7 ns'],
  ])('writes %d ns as %s, and reads the same again', (value, text) => {
    expect(writeDuration(ns(value))).toBe(text);
    expect(readDuration(text)).toEqual({ value });
  });
});

describe('other quantities', () => {
  it('reads them in their units', () => {
    expect(readRate('28.8 kbit/s')).toEqual({ value: 28_800 });
    expect(readSize('100 KiB')).toEqual({ value: 102_400 });
    expect(readProbability('2 %')).toEqual({ value: 0.02 });
    expect(readProbability('1e-5')).toEqual({ value: 1e-5 });
    expect(readQueueLimit('7 packets')).toEqual({ value: '7 packets' });
    expect(readQueueLimit('unlimited')).toEqual({ value: 'unlimited' });
  });

  it('refuses what has no meaning', () => {
    expect(readRate('0 bit/s')).toHaveProperty('wrong');
    expect(readRate('28.8')).toHaveProperty('wrong');
    expect(readSize('100 constructor')).toHaveProperty('wrong');
    expect(readProbability('')).toHaveProperty('wrong');
    expect(readProbability('120 %')).toHaveProperty('wrong');
    expect(readQueueLimit('0 packets')).toHaveProperty('wrong');
  });
});
