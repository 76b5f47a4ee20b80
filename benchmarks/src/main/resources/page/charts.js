'use strict';
// Draws the charts of the page from the data in it. A point that is not durable is hollow, and its line is dashed; such
// a bar is hatched. Whiskers reach from the lowest round to the highest. A bar tells by its length, so there are points
// without lines in its place where the axis is logarithmic.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const shapes = ['circle', 'rect', 'triangle', 'rectRot', 'rectRounded', 'circle', 'rect', 'triangle'];
  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const format = new Intl.NumberFormat('en', {maximumSignificantDigits: 3});
  const weak = point => point !== null && !point.durable;

  function hatched(colour) {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 8;
    const pen = tile.getContext('2d');
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.beginPath();
    for (const start of [-8, 0, 8]) {
      pen.moveTo(start, 8);
      pen.lineTo(start + 8, 0);
    }
    pen.stroke();
    return pen.createPattern(tile, 'repeat');
  }

  const whiskers = {
    id: 'whiskers',
    afterDatasetsDraw(chart) {
      const pen = chart.ctx;
      pen.save();
      pen.strokeStyle = style('--ink');
      pen.lineWidth = 1;
      chart.data.datasets.forEach((dataset, index) => {
        const meta = chart.getDatasetMeta(index);
        dataset.points.forEach((point, at) => {
          if (point !== null && !meta.hidden && chart.isDatasetVisible(index)) {
            const x = meta.data[at].x;
            const low = chart.scales.y.getPixelForValue(point.low);
            const high = chart.scales.y.getPixelForValue(point.high);
            pen.beginPath();
            pen.moveTo(x, low);
            pen.lineTo(x, high);
            pen.moveTo(x - 4, low);
            pen.lineTo(x + 4, low);
            pen.moveTo(x - 4, high);
            pen.lineTo(x + 4, high);
            pen.stroke();
          }
        });
      });
      pen.restore();
    }
  };

  function dataset(series, index, joined, dots) {
    const colour = style('--s' + index % 8);
    const there = series.points.filter(point => point !== null);
    const fill = series.points.map(point => !weak(point) ? colour : dots ? style('--paper') : hatched(colour));
    return {
      label: series.name + (there.length > 0 && there.every(weak) ? ' (not durable)' : ''),
      points: series.points,
      data: series.points.map(point => point === null ? null : point.y),
      borderColor: colour,
      backgroundColor: dots ? colour : fill,
      showLine: joined,
      borderWidth: 2,
      pointBackgroundColor: fill,
      pointBorderColor: colour,
      pointStyle: shapes[index % shapes.length],
      pointRadius: Math.min(4 + index, 7), // the first lies on top; of equal points one sees both
      spanGaps: true,
      segment: {borderDash: ends => weak(series.points[ends.p0DataIndex]) || weak(series.points[ends.p1DataIndex])
          ? [6, 5] : undefined}
    };
  }

  function draw(chart) {
    const values = chart.series.flatMap(series => series.points).filter(point => point !== null);
    const lows = values.map(point => point.low);
    const logarithmic = Math.min(...lows) > 0
        && Math.max(...values.map(point => point.high)) / Math.min(...lows) > 50;
    const dots = chart.lines || logarithmic;
    const axis = text => ({
      title: {display: true, text, color: style('--ink')},
      ticks: {color: style('--faint')},
      grid: {color: style('--shade')},
      border: {color: style('--line')}
    });
    return new Chart(document.getElementById(chart.id), {
      type: dots ? 'line' : 'bar',
      data: {
        labels: chart.labels,
        datasets: chart.series.map((series, index) => dataset(series, index, chart.lines, dots))
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        scales: {
          x: {...axis(chart.x), offset: !chart.lines},
          y: {
            ...axis(chart.y + (logarithmic ? ' (log)' : '')),
            type: logarithmic ? 'logarithmic' : 'linear',
            beginAtZero: !logarithmic,
            suggestedMin: logarithmic ? Math.min(...lows) : 0, // whiskers stay within the axis
            suggestedMax: Math.max(...values.map(point => point.high))
          }
        },
        plugins: {
          legend: {labels: {color: style('--ink'), usePointStyle: dots}},
          tooltip: {callbacks: {label: item => {
            const point = item.dataset.points[item.dataIndex];
            return item.dataset.label + ': ' + format.format(point.y) + ' (' + format.format(point.low) + ' to '
                + format.format(point.high) + ')' + (weak(point) ? ', not durable' : '');
          }}}
        }
      },
      plugins: [whiskers]
    });
  }

  let drawn = data.map(draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    drawn.forEach(chart => chart.destroy());
    drawn = data.map(draw);
  });
})();
