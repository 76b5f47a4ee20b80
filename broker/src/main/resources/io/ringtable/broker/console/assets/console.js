// What refreshes itself rests while nobody sees the page, and says so when the broker does not answer.
(function () {
  'use strict';

  var stale = document.getElementById('stale');
  var announced = document.getElementById('announced');

  function isLive(event) {
    return event.target instanceof Element && event.target.id === 'live';
  }

  document.addEventListener('htmx:beforeRequest', function (event) {
    if (isLive(event) && document.hidden) {
      event.preventDefault();
    }
  });

  document.addEventListener('visibilitychange', function () {
    var live = document.getElementById('live');
    if (!document.hidden && live && live.hasAttribute('hx-get')) {
      htmx.trigger(live, 'refresh');
    }
  });

  function old(why) {
    if (stale && stale.hidden) {
      stale.textContent = why + ' What you see is of ' + new Date().toISOString().substring(11, 19) + ' UTC or older.';
      stale.hidden = false;
      document.body.classList.add('old');
    }
  }

  document.addEventListener('htmx:sendError', function () {
    old('The broker does not answer.');
  });

  document.addEventListener('htmx:timeout', function () {
    old('The broker does not answer in time.');
  });

  document.addEventListener('htmx:responseError', function (event) {
    if (event.detail.xhr.status !== 401) {
      old('The broker answers with an error (' + event.detail.xhr.status + ').');
    }
  });

  document.addEventListener('htmx:afterSwap', function () {
    var said = document.querySelector('[data-announce]');
    if (stale && !stale.hidden) {
      stale.hidden = true;
      document.body.classList.remove('old');
    }
    // Only what changed is read aloud: the part is replaced every few seconds.
    if (said && announced && announced.textContent !== said.textContent) {
      announced.textContent = said.textContent;
    }
  });
})();
