import { SealedCursors } from './sealed-cursors.js'

describe('a sealed cursor', () => {
  it('of an earlier build still opens', () => {
    const cursors = new SealedCursors(new Map([['k1', Buffer.alloc(32, 7)]]), null, 'the beginning')
    const opened = cursors.open('con_1', 'AmsxEb5SKYo6fakHTv1kJeMiRizGtGDdkFIlNypQcxived1nMg')
    expect(opened.toString()).toBe('page 2')
  })
})
